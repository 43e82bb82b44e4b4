/** How the command ends, for scripts. */
export const exitStatus = {
  done: 0,
  error: 1,
  wrongInput: 2,
  stuck: 3,
  limit: 4,
  /** The provider refused the content. */
  refused: 5,
  /** A call waits for a yes. */
  waiting: 6,
  /** The answer was cut again and again, and is not whole. */
  incomplete: 7,
  /** The model is done, and every call that would have changed something was denied. */
  denied: 8,
  /** As shells report a process that the signal ended. */
  interrupted: { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 },
} as const;
