import { calls, says, toolCall } from './chat-server.js';

/** Answers of two turns: the first one writes a.txt, the second one changes it, writes the new file and runs a command. */
export function twoTurnReply(
  newFile: string,
): (body: unknown, index: number) => ReturnType<typeof says | typeof calls> {
  const replies = [
    calls(null, toolCall('write_file', { path: 'a.txt', content: 'first\n' })),
    says('Written.'),
    calls(
      null,
      toolCall('edit_file', { path: 'a.txt', old_text: 'first', new_text: 'second' }, 'call_2'),
      toolCall('write_file', { path: newFile, content: 'new\n' }, 'call_3'),
      toolCall('run_command', { command: 'true' }, 'call_4'),
    ),
    says('Changed.'),
  ];
  return (_, index) => replies[index] ?? says('Later.');
}
