import type { LogFormat } from '../log-format.js';
import { anthropicMessages } from './anthropic-messages.js';
import { chatMLTags } from './chatml-tags.js';
import { chatReplay } from './chatreplay.js';
import { chatXml } from './chat-xml.js';
import { claudeCodeJsonl } from './claude-code-jsonl.js';
import { codexRollout } from './codex-rollout.js';
import { inspectEvalLog } from './inspect-evallog.js';
import { intercode } from './intercode.js';
import { nebiusTraj } from './nebius-traj.js';
import { nnetnavSteps } from './nnetnav-steps.js';
import { opencode } from './opencode.js';
import { openAIChat } from './openai-chat.js';
import { openAIResponses } from './openai-responses.js';
import { openHandsEvents } from './openhands-events.js';
import { palimpsestJsonl } from './palimpsest-jsonl.js';
import { piSessionJsonl } from './pi-session-jsonl.js';
import { sweAgentTraj } from './swe-agent-traj.js';
import { tau2 } from './tau2.js';

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
