import type { Rule } from './rule.ts';
import { endpointRules } from './rules/endpoints.ts';
import { errorRules } from './rules/errors.ts';
import { limitRules } from './rules/limits.ts';
import { modelRules } from './rules/models.ts';
import { resourceRules } from './rules/resources.ts';
import { requestRules } from './rules/speech-request.ts';

/** Every rule, about in the order of the document. */
export const rules: readonly Rule[] = [
  ...resourceRules,
  ...requestRules,
  ...modelRules,
  ...endpointRules,
  ...errorRules,
  ...limitRules,
];
