import { lchownSync, lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';

/** Gives `path`, and the folders around it that are below the folder `below`, to the owner and group of DATA_DIR. */
export type GiveAway = (path: string, below: string) => void;

/**
 * What root makes would be root's, and the account that runs the bot could not read it. Another account than root can only
 * make what is its own: nothing is given away then. `ownersFolder`: DATA_DIR, or the nearest folder around it that exists.
 */
export function giveAwayAsRoot(ownersFolder: string): GiveAway {
  if (process.getuid?.() !== 0) return () => {};
  const { uid, gid } = statSync(ownersFolder);
  return (path, below) => {
    for (let each = path; each !== below; each = dirname(each)) {
      const now = lstatSync(each);
      // File systems without owners refuse even a change to the same one.
      if (now.uid === uid && now.gid === gid) continue;
      try {
        lchownSync(each, uid, gid);
      } catch (error) {
        throw new OperatorError(
          `${each} cannot be given to the owner of DATA_DIR (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
          { remedy: 'run this with the account that runs the bot', cause: error },
        );
      }
    }
  };
}
