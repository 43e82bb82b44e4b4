import type { FirstSubject } from '../first-calls.js';
import { firstFits } from '../first-subjects.js';

export const firstSubjects: readonly FirstSubject[] = [
  ...firstFits('chat', [], async () => (await import('../ours.js')).chat),
  {
    name: '@openai/agents MemorySession',
    packages: ['@openai/agents'],
    load: async () => (await import('./openai-agents.js')).session('MemorySession'),
  },
  {
    name: '@strands-agents/sdk with room to spare',
    packages: ['@strands-agents/sdk'],
    load: async () => (await import('./strands.js')).unmanaged,
  },
];
