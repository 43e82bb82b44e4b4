import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import * as ai from 'ai';
import { aiSdkSuite } from '../test-support/ai-sdk-suite.js';
import * as ours from './index.js';

aiSdkSuite('ai 6', { ours, ai, createOpenAI, createAnthropic });
