import { createEvent, userMessage } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { View } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { contextMessages } from './context-messages.js';
import { ensureSystemPrompt } from './opening.js';
import { builtInTemplates, loadPrompts } from './prompts.js';
import { parseSkill } from './skill.js';
import type { Skill } from './skill.js';
import { layeredTemplates, templatesFrom } from '@palimpsest/templates';
import { visibleContext } from './skills-in-view.js';

const prompts = await loadPrompts();
const rules = await parseSkill('Use tabs.', { file: 'AGENTS.md', name: 'AGENTS.md' });
const docker = await parseSkill('---\ntriggers: [docker]\n---\nUse compose.', { file: 'docker.md' });
const fix = await parseSkill('---\ninputs: [{ name: issue }]\n---\nFix ${issue}.', { file: 'fix.md' });
const workspace = { runtime: { workingDirectory: '/work' } };

const options = { prompts, workspace, skills: [rules, docker, fix] };
const next = (log: readonly Event[], more: { skills?: readonly Skill[]; disabledSkills?: readonly string[] } = {}) =>
  contextMessages(View.fromEvents(log), { ...options, ...more });
const texts = (events: readonly Event[]) => JSON.stringify(View.fromEvents(events).toMessages());
const forget = (...events: readonly Event[]) =>
  createEvent('condensation', { forgottenEventIds: events.map(({ id }) => id), summary: 'Before.', summaryOffset: 2 });
const answered = () =>
  createEvent('message', { source: 'agent', role: 'assistant', content: [{ type: 'text', text: 'Done.' }] });

test('where all words of the user are forgotten, what the newest call for is shown again', () => {
  const start = [...ensureSystemPrompt([], { systemPrompt: prompts.systemPrompt() }), userMessage('Use docker.')];
  const log = [...start, ...next(start), answered()];
  const after = [...log, forget(...log.slice(1))];
  const [context] = next(after);
  expect(context).toMatchObject({ activatedSkills: ['AGENTS.md', 'docker'] });
  expect(JSON.stringify(context)).toContain('/work');
  expect(next([...after, ...next(after)])).toEqual([]);
});

describe('the beginning of a conversation', () => {
  const start = [...ensureSystemPrompt([], { systemPrompt: prompts.systemPrompt() }), userMessage('Use docker.')];
  const log = [...start, ...next(start)];

  test('is the system prompt, the user’s message, and one message of context and knowledge', () => {
    expect(log.map(({ type, source }) => `${type} ${source}`)).toEqual([
      'system-prompt agent',
      'message user',
      'message environment',
    ]);
    const context = log[2];
    expect(context).toMatchObject({ role: 'user', activatedSkills: ['AGENTS.md', 'docker'] });
    const text = texts(log);
    const order = ['<ROLE>', 'Use docker.', 'Use tabs.', '/work', 'Use compose.'].map((words) => text.indexOf(words));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order).not.toContain(-1);
    expect(messageViolations(View.fromEvents(log).toMessages())).toEqual([]);
  });

  test('says it once: nothing is to be added to what stands there', () => {
    expect(next(log)).toEqual([]);
    expect(next([...log, answered(), userMessage('docker again')])).toEqual([]);
  });

  test('shows an example of the template in front', async () => {
    const templates = layeredTemplates(templatesFrom({ 'user_prompt.j2': 'An example.' }), builtInTemplates);
    const [message] = contextMessages(View.fromEvents(start), {
      ...options,
      prompts: await loadPrompts({ templates }),
    });
    expect(message?.content[0]).toEqual({ type: 'text', text: 'An example.' });
  });

  test('says nothing before the user does, and nothing where nothing is known', () => {
    expect(next(start.slice(0, 1))).toEqual([]);
    expect(contextMessages(View.fromEvents(start), { prompts })).toEqual([]);
  });
});

describe('later', () => {
  const first = userMessage('Hello');
  const opening = [first, ...next([first])];

  test('knowledge comes alone, without the workspace again', () => {
    const log = [...opening, answered(), userMessage('and docker?')];
    const added = next(log);
    expect(added).toMatchObject([{ content: [], activatedSkills: ['docker'] }]);
    expect(added[0]).not.toHaveProperty('sender');
    expect(texts([...log, ...added]).match(/working directory|use tabs/gi)).toHaveLength(2);
    expect(next([...log, ...added])).toEqual([]);
  });

  test('an instruction file that is new is shown by itself', async () => {
    const more = await parseSkill('No jokes.', { file: 'x', name: 'src/AGENTS.md' });
    const [message] = next(opening, { skills: [rules, more] });
    expect(message?.activatedSkills).toEqual(['src/AGENTS.md']);
    expect(JSON.stringify(message)).not.toMatch(/Use tabs|\/work/);
    const [, context] = opening;
    const forgotten = next([...opening, message as Event, forget(context as Event)], { skills: [rules, more] });
    expect(forgotten).toMatchObject([{ activatedSkills: ['AGENTS.md'] }]);
    expect(JSON.stringify(forgotten)).toContain('Working directory: /work');
  });

  test('what a tool or the framework says triggers nothing', () => {
    const note = createEvent('message', {
      source: 'environment',
      role: 'user',
      content: [{ type: 'text', text: 'docker' }],
    });
    expect(next([...opening, note])).toEqual([]);
  });

  test('a message that is not sent, because nothing stands in it, shows no skill', () => {
    const fields = { source: 'environment', role: 'user', activatedSkills: ['docker'] } as const;
    const blank = createEvent('message', { ...fields, content: [{ type: 'text', text: ' ' }] });
    expect(next([...opening, userMessage('docker'), blank])).toMatchObject([{ activatedSkills: ['docker'] }]);
  });

  test('a task is called anew by each message, with its own inputs', () => {
    const once = [...opening, userMessage('/fix issue=1')];
    const called = [...once, ...next(once)];
    expect(texts(called)).toContain('Fix 1.');
    expect(next(called)).toEqual([]);
    const twice = [...called, answered(), userMessage('/fix issue=2')];
    expect(JSON.stringify(next(twice))).toContain('Fix 2.');
    expect(next([...twice, ...next(twice)])).toEqual([]);
  });

  test('quirk: a skill that was off when it was called for is shown once it is on', () => {
    const log = [...opening, userMessage('docker')];
    expect(next(log, { disabledSkills: ['docker'] })).toEqual([]);
    expect(next(log)).toMatchObject([{ activatedSkills: ['docker'] }]);
  });

  test('of two skills with one name the later counts', async () => {
    const stronger = await parseSkill('---\ntriggers: [docker]\n---\nUse podman.', { file: 'docker.md' });
    const [message] = next([...opening, userMessage('docker')], { skills: [rules, docker, stronger] });
    expect(JSON.stringify(message)).toContain('Use podman.');
    expect(JSON.stringify(message)).not.toContain('Use compose.');
  });
});

describe('after a condensation', () => {
  const first = userMessage('Use docker.');
  const [context] = next([first]);
  if (context === undefined) throw new Error('no context');
  const log = [first, context, answered(), userMessage('go on')];

  test('that forgot it, all of it is shown again, once', () => {
    const condensed = [...log, forget(context)];
    expect(visibleContext(View.fromEvents(condensed))).toMatchObject({ hasWorkspace: false, skills: new Map() });
    const again = next(condensed);
    expect(again).toMatchObject([{ activatedSkills: ['AGENTS.md', 'docker'] }]);
    const text = texts([...condensed, ...again]);
    for (const words of ['Use tabs.', '/work', 'Use compose.']) expect(text.split(words)).toHaveLength(2);
    expect(next([...condensed, ...again])).toEqual([]);
  });

  test('that kept it, nothing is added', () => {
    const [, , reply] = log;
    expect(next([...log, forget(reply as Event)])).toEqual([]);
  });

  test('that forgot the message that called for it as well, the knowledge stays away', () => {
    const again = next([...log, forget(first, context)]);
    expect(again).toMatchObject([{ activatedSkills: ['AGENTS.md'] }]);
  });

  test('that was reverted, nothing is added', () => {
    const condensation = forget(context);
    const revert = createEvent('condensation-revert', { condensationId: condensation.id });
    expect(next([...log, condensation, revert])).toEqual([]);
  });
});

test('quirk: neither the view nor the log is changed', () => {
  const log = Object.freeze([Object.freeze(userMessage('docker'))]);
  const view = View.fromEvents(log);
  next(log);
  expect([...view.events]).toEqual([...log]);
});
