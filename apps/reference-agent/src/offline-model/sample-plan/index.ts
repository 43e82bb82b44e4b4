import type { PlanStep } from '../plan.js';
import { aggregate } from './aggregate.js';
import { documentation } from './documentation.js';
import { grouping } from './grouping.js';
import { repair } from './repair.js';
import { report } from './report.js';
import { survey } from './survey.js';

/** The work of the demo: three tasks on the sample project. */
export const samplePlan: readonly PlanStep[] = [
  ...survey,
  ...repair,
  ...aggregate,
  ...grouping,
  ...documentation,
  ...report,
];
