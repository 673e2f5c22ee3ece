import type { Rule } from './rule.ts';
import { resourceRules } from './rules/resources.ts';
import { serviceRules } from './rules/service.ts';
import { requestRules } from './rules/speech-request.ts';

/** Every rule, in the order of the document. */
export const rules: readonly Rule[] = [...resourceRules, ...requestRules, ...serviceRules];
