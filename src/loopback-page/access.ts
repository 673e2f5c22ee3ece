import { createHash, randomBytes } from 'node:crypto';

/** Browsers that may use the page at the same time; the one that signed in first is signed out by a further one. */
const MOST_SESSIONS = 20;

/** The one-time token in the page's address, and the sessions of browsers that opened it. Ends with the process. */
export interface PageAccess {
  /** Valid for one browser; another one takes its place then. */
  readonly token: () => string;
  /** The session for a token; undefined for one that is wrong or used. */
  readonly signIn: (token: string) => string | undefined;
  readonly isSignedIn: (session: unknown) => boolean;
}

/** `onUsed` is told the token that replaces a used one. */
export function createPageAccess({ onUsed = () => {} }: { onUsed?: (next: string) => void } = {}): PageAccess {
  let token = newSecret();
  /** Hashes: looking one up takes the same time however much of a guess is right. */
  const sessions = new Set<string>();

  return {
    token: () => token,
    signIn(given) {
      if (hashOf(given) !== hashOf(token)) return undefined;
      token = newSecret();
      const session = newSecret();
      sessions.add(hashOf(session));
      const [oldest] = sessions;
      if (sessions.size > MOST_SESSIONS && oldest !== undefined) sessions.delete(oldest);
      onUsed(token);
      return session;
    },
    isSignedIn: (session) => typeof session === 'string' && sessions.has(hashOf(session)),
  };
}

const newSecret = () => randomBytes(24).toString('base64url');

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64url');
