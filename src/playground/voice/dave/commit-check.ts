import { type Commit, type MlsWelcome, verifyPathLeaf } from './mls.ts';

/** A proposal that the server broadcast in this epoch and did not revoke. */
export interface OpenProposal {
  ref: Buffer;
  kind: 'add' | 'remove';
  /** Of the member to be added. */
  keyPackageRef: Buffer | undefined;
}

interface CommitContext {
  groupId: Uint8Array;
  epoch: bigint;
  /** Leaf index of the client that sent the commit; 0 for the creator of a group. */
  senderLeaf: number;
  /** From its key package. */
  senderSignatureKey: Uint8Array;
  senderIdentity: Uint8Array;
  /** All that were sent to this client. */
  open: readonly OpenProposal[];
}

/**
 * Why a commit must not be broadcast, or undefined when it may:
 * https://daveprotocol.com/#voice-gateway-commit-validity and, for the welcome,
 * https://discord.com/developers/docs/topics/voice-connections#proposals-and-commits.
 *
 * Some checks are left to the members, which refuse with op 31: of the signature over the group context (its tree holds
 * the creator's first leaf, which never leaves its device), and of the confirmation and membership tags (their keys are
 * the group's secret).
 */
export function commitFault(
  commit: Commit,
  welcome: MlsWelcome | undefined,
  context: CommitContext,
): string | undefined {
  if (!commit.groupId.equals(context.groupId)) return 'another group';
  if (commit.epoch !== context.epoch) return 'another epoch';
  if (commit.sender !== context.senderLeaf) return 'signed as another member';
  if (commit.inlineProposals > 0) return 'a proposal by value';
  return referenceFault(commit, context) ?? pathFault(commit, context) ?? welcomeFault(welcome, context);
}

function referenceFault(commit: Commit, { open }: CommitContext): string | undefined {
  const named = commit.references.map((ref) => ref.toString('hex'));
  if (named.length === 0) return 'no proposal';
  if (new Set(named).size !== named.length) return 'a proposal named twice';
  const known = new Set(open.map(({ ref }) => ref.toString('hex')));
  if (named.some((ref) => !known.has(ref))) return 'a proposal that is not open';
  return named.length < known.size ? 'an open proposal is missing' : undefined;
}

function pathFault({ pathLeaf }: Commit, context: CommitContext): string | undefined {
  if (pathLeaf === undefined) return undefined;
  if (!pathLeaf.signatureKey.equals(context.senderSignatureKey)) return 'the signature key was changed';
  if (!pathLeaf.identity.equals(context.senderIdentity)) return 'the credential was changed';
  return verifyPathLeaf(pathLeaf, context.groupId, context.senderLeaf) ? undefined : 'wrong signature of the new leaf';
}

function welcomeFault(welcome: MlsWelcome | undefined, { open }: CommitContext): string | undefined {
  const added = open.flatMap(({ keyPackageRef }) => keyPackageRef?.toString('hex') ?? []);
  const welcomed = (welcome?.secrets ?? []).map((entry) => entry.keyPackageRef.toString('hex'));
  if (added.length === 0) return welcome === undefined ? undefined : 'a welcome for nobody';
  const everyone = added.length === welcomed.length && added.every((ref) => welcomed.includes(ref));
  return everyone ? undefined : 'the welcome is not for exactly those who were added';
}
