import type { Rule } from '../framework/rule.ts';
import { endpointRules } from './endpoints.ts';
import { requestRules } from './requests.ts';
import { resourceRules } from './resources.ts';

/** Every rule, about in the order of the document. */
export const rules: readonly Rule[] = [...resourceRules, ...requestRules, ...endpointRules];
