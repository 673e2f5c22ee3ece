import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { SpeechApiError } from '../api/api-error.ts';
import type { KeyStore } from '../store/keys.ts';

/*
 * How the voice command line gets a key. It opens the page with its loopback port, a random state and the hash of a secret.
 * Once the person has confirmed there, the browser takes a one-time token to that port, and the command line exchanges it,
 * together with the secret itself, for the key. Only then is a key made or replaced, and it never goes through the browser.
 */

const MAX_CHARACTERS = 60;

export const keyNameSchema = z
  .string()
  .trim()
  .min(1, 'Give the key a name.')
  .max(MAX_CHARACTERS, {
    error: ({ input }) =>
      `The name of a key can have up to ${MAX_CHARACTERS} characters; this one has ${String(input).length}.`,
  });

/** Throws for a name that another key has: which of two is to be revoked could not be told. */
export function checkNameIsFree(keys: KeyStore, name: string): void {
  if (keys.list().some((key) => key.name === name && key.revokedAt === null))
    throw new SpeechApiError('invalid_request', `There is a key named “${name}” already: choose another name.`);
}

/** Throws for a key that is not there. */
export function mustBeThere<T>(key: T | undefined): T {
  if (key === undefined) throw new SpeechApiError('not_found', 'There is no such key, or it is revoked.');
  return key;
}

/**
 * Throws for a key that cannot be replaced or revoked. One from the environment is used by other programs: they would be
 * refused from now on, and the next start would bring the old key back and end the new one.
 */
export function checkReplaceable(keys: KeyStore, id: string): void {
  const key = mustBeThere(keys.list().find((one) => one.id === id && one.revokedAt === null));
  if (key.origin !== 'environment') return;
  throw new SpeechApiError(
    'invalid_request',
    'This key was given at the start, and the next start would bring it back. To replace the bot’s own, stop the bot, delete the file speech-key in its data folder, and start the bot; elsewhere, start the service with another SPEECH_SERVICE_KEY.',
  );
}

/** How long a token can be exchanged; the command line waits as long. */
export const TOKEN_LIFETIME_MS = 5 * 60_000;
/** A person does not confirm this often in five minutes. */
const MAX_PENDING = 100;

/** The page without its query, as after the browser's Back. */
const OVER =
  'This page belongs to no login, or to one that is over: run voice login again, and answer on the page it opens.';
const random = z.string().regex(/^[\w-]{22,128}$/, OVER);
const callback = { port: z.int(OVER).min(1, OVER).max(65_535, OVER), state: random };

export const confirmSchema = z.strictObject({
  ...callback,
  challenge: random,
  choice: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('create'), name: keyNameSchema }),
    z.strictObject({ kind: z.literal('rotate'), id: z.string().max(64) }),
  ]),
});
export const refuseSchema = z.strictObject(callback);
export const redeemSchema = z.strictObject({ token: z.string().max(128), verifier: z.string().max(128) });

type Confirmed = z.infer<typeof confirmSchema>;

export function createCliLogins(keys: KeyStore, now: () => number = Date.now) {
  const pending = new Map<string, Confirmed & { expiresAtMs: number }>();
  const forgetOld = () => {
    for (const [hash, login] of pending) if (login.expiresAtMs <= now()) pending.delete(hash);
  };

  return {
    /** The person confirmed: the redirect for the browser, with a token that is valid once. */
    confirm(login: Confirmed): { redirect: string } {
      const { choice } = login;
      if (choice.kind === 'rotate') checkReplaceable(keys, choice.id);
      else checkNameIsFree(keys, choice.name);
      forgetOld();
      if (pending.size >= MAX_PENDING)
        throw new SpeechApiError('invalid_request', 'Too many logins are waiting: try later.');
      const token = randomBytes(32).toString('base64url');
      pending.set(hashOf(token), { ...login, expiresAtMs: now() + TOKEN_LIFETIME_MS });
      return { redirect: backTo(login, { token }) };
    },
    refuse: (login: z.infer<typeof refuseSchema>) => ({ redirect: backTo(login, { error: 'refused' }) }),
    /** Makes or replaces the key. Throws an `SpeechApiError` for a token that is wrong, used or old. */
    redeem({ token, verifier }: z.infer<typeof redeemSchema>): { key: string; name: string } {
      forgetOld();
      const login = pending.get(hashOf(token));
      // A token that was presented is spent, whatever the outcome: it is valid for one attempt.
      pending.delete(hashOf(token));
      // Both are hashes, or a challenge of another length, which no verifier has.
      const [given, wanted] = [Buffer.from(hashOf(verifier)), Buffer.from(login?.challenge ?? '')];
      if (login === undefined || given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
        throw new SpeechApiError('invalid_request', 'The token is wrong, used, or older than five minutes.');
      }
      const { choice } = login;
      // Another login may have been confirmed for the same name.
      if (choice.kind === 'create') checkNameIsFree(keys, choice.name);
      const made = mustBeThere(choice.kind === 'create' ? keys.create(choice.name) : keys.rotate(choice.id));
      return { key: made.secret, name: made.key.name };
    },
  };
}

/** Only ever this machine: the port is all the command line can choose. */
const backTo = ({ port, state }: { port: number; state: string }, answer: Record<string, string>): string =>
  `http://127.0.0.1:${port}/callback?${new URLSearchParams({ ...answer, state })}`;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
