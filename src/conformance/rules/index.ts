import type { Rule } from '../framework/rule.ts';
import { endpointRules } from './endpoints.ts';
import { requestRules } from './requests.ts';
import { resourceRules } from './resources.ts';

/** All conformance rules, roughly in the order of the interface document. */
export const rules: readonly Rule[] = [...resourceRules, ...requestRules, ...endpointRules];
