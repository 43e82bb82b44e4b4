import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { efforts } from '../settings/efforts.js';

/** Adds the options of everything that runs the agent. */
export function addRunOptions(command: Command): Command {
  return command
    .option(
      '-p, --print <task>',
      'work on this task without a screen, and on what comes on standard input within 3 seconds; - reads the task from there',
    )
    .option('--stdin', 'wait for standard input, however long it takes')
    .addOption(
      new Option('--output-format <format>', 'text: the answer, and one line for each step on standard error')
        .choices(['text', 'json', 'stream-json'])
        .default('text'),
    )
    .option('--plain', 'print line by line instead of on a full screen: for screen readers and simple terminals')
    .option('--deltas', 'with stream-json: also each piece of an answer as it arrives')
    .option(
      '--model <name>',
      'provider/name, such as anthropic/claude-sonnet-5 or ollama/qwen3; with --base-url the name that the server has, or anthropic:NAME if it speaks Anthropic’s API',
    )
    .option(
      '--base-url <address>',
      'a server that speaks OpenAI’s Chat Completions, or Anthropic’s API with --model anthropic:NAME; it needs no key',
    )
    .option('--small-model <name>', 'the model for summaries')
    .addOption(new Option('--tool-calls <way>', 'text: for a model without tool calling').choices(['native', 'text']))
    .option('--max-cost <usd>', 'end the run when it has cost this much', positive)
    .option('--max-steps <count>', 'end the run after this many model calls', wholePositive)
    .option(
      '--template-folder <folder>',
      'a folder with prompt templates, which replace the built-in ones of the same names',
    )
    .option('--max-output-tokens <count>', 'the longest answer of the model, thinking included', wholePositive)
    .addOption(
      new Option('--effort <level>', 'how much the model thinks; each model takes some of these').choices(efforts),
    )
    .option(
      '--retry-seconds <count>',
      'how long a failed model call is tried again; 0: not at all (default: 120)',
      notNegative,
    )
    .option('--cwd <folder>', 'the folder to work in')
    .option('--config <file>', 'a configuration file, instead of the user’s')
    .option('--yolo', 'allow every call: commands and writes run without a question')
    .addOption(
      new Option(
        '--on-ask <what>',
        'a call that needs a yes is denied, and the model is told; or the run ends and waits (default: deny; resumed: as before)',
      ).choices(['deny', 'wait']),
    );
}

function positive(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value < Infinity) return value;
  throw new InvalidArgumentError('It must be a number above 0.');
}

function notNegative(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value < Infinity) return value;
  throw new InvalidArgumentError('It must be a number of at least 0.');
}

function wholePositive(text: string): number {
  const value = positive(text);
  if (Number.isInteger(value)) return value;
  throw new InvalidArgumentError('It must be a whole number above 0.');
}
