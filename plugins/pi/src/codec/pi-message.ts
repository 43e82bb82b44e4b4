/** The least that a message of pi (`AgentMessage`) has. The others of its fields differ between roles, and between versions of pi. */
export interface PiMessage {
  readonly role: string;
}
