import type { LogFormat } from '../log/session.js';
import { chatReplay } from './chatreplay.js';
import { claudeCodeJsonl } from './claude-code.js';
import { codexRollout, openAIResponses } from './codex.js';
import { inspectEvalLog } from './inspect-evallog.js';
import { anthropicMessages, openAIChat, tau2 } from './messages.js';
import { opencode } from './opencode.js';
import { openHandsEvents } from './openhands.js';
import { palimpsestJsonl } from './palimpsest.js';
import { piSessionJsonl } from './pi.js';
import { chatMLTags, chatXml, intercode, nebiusTraj, nnetnavSteps, sweAgentTraj } from './text-mode.js';

/** All supported formats, the most specific first. The first format that recognises a log reads it. */
export const logFormats: readonly LogFormat[] = [
  palimpsestJsonl,
  claudeCodeJsonl,
  codexRollout,
  piSessionJsonl,
  opencode,
  tau2,
  sweAgentTraj,
  nebiusTraj,
  openHandsEvents,
  inspectEvalLog,
  chatReplay,
  nnetnavSteps,
  intercode,
  chatMLTags,
  chatXml,
  anthropicMessages,
  openAIResponses,
  openAIChat,
];
