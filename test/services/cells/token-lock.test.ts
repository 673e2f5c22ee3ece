import { expect, it } from 'vitest';
import { lockToken } from '../../../src/services/cells/token-lock.ts';

/** Of no bot. */
const tokenOf = (bot: string, secret = 'secret') =>
  `${Buffer.from(`${bot} of ${process.pid}`).toString('base64')}.time.${secret}`;
const REAL = { apiUrl: undefined };

it('is for one process at a time, also where the token was reset meanwhile', async () => {
  const lock = await lockToken({ token: tokenOf('one'), ...REAL });
  const another = lockToken({ token: tokenOf('one', 'another'), ...REAL });
  await expect(another).rejects.toThrow(/^another Crier is running on this machine with the same token: end that one/);
  (await lockToken({ token: tokenOf('two'), ...REAL })).release();
  (await lockToken({ token: tokenOf('one'), apiUrl: new URL('http://127.0.0.1:1/api') })).release();
  lock.release();
  lock.release();
  (await lockToken({ token: tokenOf('one'), ...REAL })).release();
});
