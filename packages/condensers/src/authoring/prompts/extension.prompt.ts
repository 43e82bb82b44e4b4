/** Begins a question behind the agent's own conversation. */
export const interruption =
  'The work is interrupted here by a question about the conversation itself. Do not go on with the work, and call no tool: ' +
  'the only answer that is read is text.';

/** Stands for the events in the prompt of a summary that is asked for behind them. */
export const eventsAbove =
  'The events are the conversation above this message, an earlier summary in it included. The first and the latest message of the user stay.';
