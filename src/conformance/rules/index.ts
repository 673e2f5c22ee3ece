import type { Rule } from '../framework/rule.ts';
import { endpointRules } from './endpoints.ts';
import { requestRules } from './requests.ts';
import { resourceRules } from './resources.ts';

export const rules: readonly Rule[] = [...resourceRules, ...requestRules, ...endpointRules];
