import type { Rule } from '../framework/rule.ts';
import { endpointRules } from './endpoints.ts';
import { errorRules } from './errors.ts';
import { limitRules } from './limits.ts';
import { modelSchemaRules } from './models.ts';
import { resourceRules } from './resources.ts';
import { requestRules } from './speech-request.ts';

/** Every rule, about in the order of the document. */
export const rules: readonly Rule[] = [
  ...resourceRules,
  ...requestRules,
  ...modelSchemaRules,
  ...endpointRules,
  ...errorRules,
  ...limitRules,
];
