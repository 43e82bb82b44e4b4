import { HarnessError } from '../../harness-error.js';
import type { LogFormat } from '../log/session.js';
import { adkSession } from './adk.js';
import { aiSdkUi } from './ai-sdk-ui.js';
import { atif } from './atif.js';
import { bedrockConverse } from './bedrock.js';
import { chatReplay } from './chatreplay.js';
import { claudeCodeJsonl } from './claude-code.js';
import { codexRollout, openAIResponses } from './codex.js';
import { geminiCli } from './gemini-cli.js';
import { inspectEvalLog } from './inspect-evallog.js';
import { langChain } from './langchain.js';
import { anthropicMessages, openAIChat, tau2 } from './messages.js';
import { opencode } from './opencode.js';
import { openHandsEvents } from './openhands.js';
import { openHandsSdk } from './openhands-sdk.js';
import { palimpsestJsonl } from './palimpsest.js';
import { piSessionJsonl } from './pi.js';
import { chatMLTags, chatXml, intercode, nebiusTraj, nnetnavSteps, sweAgentTraj } from './text-mode.js';

/** All supported formats, the most specific first. The first format that recognises a log reads it. */
export const logFormats: readonly LogFormat[] = [
  palimpsestJsonl,
  claudeCodeJsonl,
  codexRollout,
  piSessionJsonl,
  geminiCli,
  opencode,
  atif,
  tau2,
  sweAgentTraj,
  nebiusTraj,
  openHandsSdk,
  openHandsEvents,
  adkSession,
  inspectEvalLog,
  aiSdkUi,
  langChain,
  bedrockConverse,
  chatReplay,
  nnetnavSteps,
  intercode,
  chatMLTags,
  chatXml,
  anthropicMessages,
  openAIResponses,
  openAIChat,
];

/** The names of the formats that can be read. */
export const logFormatNames: readonly string[] = logFormats.map((format) => format.name);

/** Makes the error for a file of no known format. */
export function unknownLogFormat(file: string, reason: string, cause?: unknown): HarnessError {
  const known = logFormatNames.join(', ');
  const message = `'${file}' is not a session log that can be read: ${reason}. Known formats: ${known}.`;
  return new HarnessError('unknown-log-format', message, { file, reason, cause });
}
