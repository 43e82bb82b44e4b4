/** The description of the recall tool, for the model. */
export const recallDescription = `Get back text of this conversation that is hidden from you: a result or an argument that a note \
stands for, a result that you marked as no longer needed or that was shown in part, or anything older than the conversation that \
you see. Nothing is lost; the log keeps it. Use it before you make a call again, above all one that changes something or takes \
long: recall returns what you read then, not how things are now.

Give exactly one of these:
- address: from a note, a summary or an earlier answer of this tool, e.g. 7k2m9qxa from '(address 7k2m9qxa)', or the event_id on \
the last line of a result. Returns the original.
- path: a file or folder. Returns the hidden calls on it and their results, newest first, then where else it is mentioned.
- query: words, a name or a line. Returns the hidden texts that fit best, with the lines that hold them and their addresses.

Long answers come in pages; the first line says how many there are.`;

/** The descriptions of its arguments, for the model. */
export const recallArguments = {
  address: 'The address of a hidden text.',
  path: 'A path as it stood in the calls or results.',
  query: 'Words to search for. Not a pattern.',
  page: 'Which page, from 1 on. 1 if it is left out.',
} as const;

/** The reason for which the model does not see a text. */
export const hiddenReasons = {
  forgotten: 'no longer in the conversation',
  masked: 'hidden behind a note',
  dismissed: 'marked by you as no longer needed',
  'in-part': 'shown to you in part',
  'not-sent': 'never sent to you',
} as const;
