import * as z from 'zod';
import { SpeechApiError } from '../api/api-error.ts';
import type { KeyStore } from '../store/keys.ts';

const MAX_CHARACTERS = 60;

export const keyNameSchema = z
  .string()
  .trim()
  .min(1, 'Give the key a name.')
  .max(MAX_CHARACTERS, {
    error: ({ input }) =>
      `The name of a key can have up to ${MAX_CHARACTERS} characters; this one has ${String(input).length}.`,
  });

/** Throws for a name that another key has: which of two is to be revoked could not be told. `ownId` is the key to be renamed. */
export function checkNameIsFree(keys: KeyStore, name: string, ownId?: string): void {
  if (keys.list().some((key) => key.name === name && key.id !== ownId && key.revokedAt === null))
    throw new SpeechApiError('invalid_request', `There is a key named “${name}” already: choose another name.`);
}
