import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { ByteReader, MlsDecodeError, u16, u32, u64, vector } from './codec.ts';

// MLS messages (RFC 9420) with the parameters of DAVE protocol 1: https://daveprotocol.com/#mls-parameters

const MLS_VERSION = 1;
/** The number of the MLS cipher suite DHKEMP256_AES128GCM_SHA256_P256. */
const CIPHERSUITE = 2;
const WIRE_FORMAT_PUBLIC_MESSAGE = 1;
const WIRE_FORMAT_KEY_PACKAGE = 5;
const CREDENTIAL_BASIC = 1;
const CONTENT_PROPOSAL = 2;
const CONTENT_COMMIT = 3;
const SENDER_MEMBER = 1;
const SENDER_EXTERNAL = 2;
const LEAF_SOURCE = { keyPackage: 1, update: 2, commit: 3 } as const;
const PROPOSAL_ADD = 1;
const PROPOSAL_REMOVE = 3;
const PROPOSAL_BY_REFERENCE = 2;

type LeafNode = ReturnType<typeof readLeafNode>;
export type KeyPackage = ReturnType<typeof readKeyPackage>;
export type Commit = ReturnType<typeof readCommit>;
export type MlsWelcome = ReturnType<typeof readWelcome>;

/** The hash by which MLS messages name a proposal or a key package: RefHash in RFC 9420 section 5.2. */
function refHash(label: string, value: Uint8Array): Buffer {
  return createHash('sha256')
    .update(vector(Buffer.from(label)))
    .update(vector(value))
    .digest();
}

function signContent(label: string, content: Uint8Array): Buffer {
  return Buffer.concat([vector(Buffer.from(`MLS 1.0 ${label}`)), vector(content)]);
}

/** False if the signature is invalid, or if `publicKey` is not an uncompressed point on the curve P-256. */
function verifyWithLabel(publicKey: Uint8Array, label: string, content: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 65 || publicKey[0] !== 4) return false;
  const coordinate = (from: number) => Buffer.from(publicKey.subarray(from, from + 32)).toString('base64url');
  let key: KeyObject;
  try {
    key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) }, format: 'jwk' });
  } catch {
    // The public key is not a point on the curve, so no signature is valid.
    return false;
  }
  return verify('sha256', signContent(label, content), key, signature);
}

function readLeafNode(from: ByteReader) {
  const start = from.offset;
  from.vector(); // This simulated voice server ignores the encryption key.
  const signatureKey = from.vector();
  if (from.u16() !== CREDENTIAL_BASIC) throw new MlsDecodeError('DAVE allows basic credentials only');
  const identity = from.vector();
  for (let list = 0; list < 5; list += 1) from.vector(); // This simulated voice server skips the capabilities.
  const source = from.u8();
  let lifetime: { notBefore: bigint; notAfter: bigint } | undefined;
  if (source === LEAF_SOURCE.keyPackage) lifetime = { notBefore: from.u64(), notAfter: from.u64() };
  else if (source === LEAF_SOURCE.commit)
    from.vector(); // This simulated voice server skips the parent hash.
  else throw new MlsDecodeError(`A leaf node of source ${source} has no place here`);
  const extensions = from.vector().length;
  const signed = from.since(start);
  return { signatureKey, identity, source, lifetime, extensions, signature: from.vector(), signed };
}

/** DAVE's whitepaper wraps a key package in an MLSMessage, but libdave and davey send it bare: both are accepted. */
export function readKeyPackage(payload: Uint8Array) {
  const wrapped = Buffer.from(payload.subarray(0, 4)).equals(
    Buffer.concat([u16(MLS_VERSION), u16(WIRE_FORMAT_KEY_PACKAGE)]),
  );
  const bytes = wrapped ? payload.subarray(4) : payload;
  const from = new ByteReader(bytes);
  if (from.u16() !== MLS_VERSION) throw new MlsDecodeError('Not MLS 1.0');
  if (from.u16() !== CIPHERSUITE) throw new MlsDecodeError('Not the ciphersuite of DAVE protocol 1');
  from.vector(); // This simulated voice server ignores the init key.
  const leaf = readLeafNode(from);
  from.vector(); // This simulated voice server ignores the key package's extensions.
  const signed = from.since(0);
  const signature = from.vector();
  from.end();
  if (leaf.source !== LEAF_SOURCE.keyPackage) throw new MlsDecodeError('The leaf is not one of a key package');
  if (!verifyWithLabel(leaf.signatureKey, 'LeafNodeTBS', leaf.signed, leaf.signature))
    throw new MlsDecodeError('Wrong leaf signature');
  if (!verifyWithLabel(leaf.signatureKey, 'KeyPackageTBS', signed, signature))
    throw new MlsDecodeError('Wrong key package signature');
  return { bytes: Buffer.from(bytes), leaf, ref: refHash('MLS 1.0 KeyPackage Reference', bytes) };
}

/** True if the member that commits has signed its own new leaf (RFC 9420 section 7.2). */
function verifyPathLeaf(leaf: LeafNode, groupId: Uint8Array, leafIndex: number): boolean {
  const signed = Buffer.concat([leaf.signed, vector(groupId), u32(leafIndex)]);
  return (
    leaf.source === LEAF_SOURCE.commit && verifyWithLabel(leaf.signatureKey, 'LeafNodeTBS', signed, leaf.signature)
  );
}

/** Reads op 28 from a member: a commit and, if it adds members to the encryption group, a welcome for them. */
export function readCommitWelcome(bytes: Uint8Array) {
  const from = new ByteReader(bytes);
  const commit = readCommit(from);
  const welcome = from.offset < bytes.length ? readWelcome(from) : undefined;
  from.end();
  return { commit, welcome };
}

function readCommit(from: ByteReader) {
  if (from.u16() !== MLS_VERSION) throw new MlsDecodeError('Not MLS 1.0');
  if (from.u16() !== WIRE_FORMAT_PUBLIC_MESSAGE)
    throw new MlsDecodeError('Handshake messages are public messages in DAVE');
  const groupId = from.vector();
  const epoch = from.u64();
  if (from.u8() !== SENDER_MEMBER) throw new MlsDecodeError('A commit comes from a member');
  const sender = from.u32();
  from.vector(); // This simulated voice server ignores the commit's authenticated data.
  if (from.u8() !== CONTENT_COMMIT) throw new MlsDecodeError('Not a commit');
  /** DAVE forbids proposals in a commit, which must refer to the server's proposals by their hashes. */
  let inlineProposals = 0;
  const references: Buffer[] = [];
  const list = from.vector();
  const proposals = new ByteReader(list);
  while (proposals.offset < list.length && inlineProposals === 0) {
    if (proposals.u8() === PROPOSAL_BY_REFERENCE) references.push(proposals.vector());
    // A commit that itself contains a proposal is rejected, so the entries after that proposal are not parsed.
    else inlineProposals += 1;
  }
  const hasPath = from.u8();
  if (hasPath > 1) throw new MlsDecodeError('An optional value is there or not');
  const pathLeaf = hasPath === 1 ? readPath(from) : undefined;
  // The voice server skips the commit's signature, confirmation tag and membership tag, because it cannot check them.
  from.vector();
  from.vector();
  from.vector();
  return { groupId, epoch, sender, references, inlineProposals, pathLeaf, bytes: from.since(0) };
}

function readPath(from: ByteReader) {
  const leaf = readLeafNode(from);
  from.vectorOf((node) => {
    node.vector(); // This simulated voice server ignores the encryption key.
    node.vectorOf((secret) => [secret.vector(), secret.vector()]);
  });
  return leaf;
}

function readWelcome(from: ByteReader) {
  if (from.u16() !== CIPHERSUITE) throw new MlsDecodeError('Not the ciphersuite of DAVE protocol 1');
  const secrets = from.vectorOf((entry) => {
    const start = entry.offset;
    const keyPackageRef = entry.vector();
    entry.vector(); // Skips the KEM output, which the voice server does not need.
    entry.vector(); // Skips the ciphertext, which the voice server does not need.
    return { keyPackageRef, bytes: entry.since(start) };
  });
  return { secrets, encryptedGroupInfo: from.vector() };
}

export function welcomeFor(welcome: MlsWelcome, keyPackageRef: Uint8Array): Buffer {
  const secrets = welcome.secrets
    .filter((entry) => entry.keyPackageRef.equals(keyPackageRef))
    .map((entry) => entry.bytes);
  return Buffer.concat([u16(CIPHERSUITE), vector(Buffer.concat(secrets)), vector(welcome.encryptedGroupInfo)]);
}

type ExternalSender = ReturnType<typeof externalSender>;

/** The voice server's identity toward an encryption group. It can propose changes, but is no member of the group. */
export function externalSender(keys: { privateKey: KeyObject; publicKey: KeyObject }) {
  const { x = '', y = '' } = keys.publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return {
    privateKey: keys.privateKey,
    bytes: Buffer.concat([vector(point), u16(CREDENTIAL_BASIC), vector(Buffer.of(0))]),
  };
}

export const proposeAdd = (keyPackage: Uint8Array): Buffer => Buffer.concat([u16(PROPOSAL_ADD), keyPackage]);
export const proposeRemove = (leafIndex: number): Buffer => Buffer.concat([u16(PROPOSAL_REMOVE), u32(leafIndex)]);

/** Signs a proposal of the voice server. Returns the message for members, and the hash by which commits name it. */
export function signProposal(
  sender: ExternalSender,
  groupId: Uint8Array,
  epoch: bigint,
  proposal: Uint8Array,
): { message: Buffer; ref: Buffer } {
  const header = Buffer.concat([u16(MLS_VERSION), u16(WIRE_FORMAT_PUBLIC_MESSAGE)]);
  const content = Buffer.concat([
    vector(groupId),
    u64(epoch),
    Buffer.of(SENDER_EXTERNAL),
    u32(0),
    vector(Buffer.alloc(0)),
    Buffer.of(CONTENT_PROPOSAL),
    proposal,
  ]);
  const signature = sign(
    'sha256',
    signContent('FramedContentTBS', Buffer.concat([header, content])),
    sender.privateKey,
  );
  const authenticated = Buffer.concat([u16(WIRE_FORMAT_PUBLIC_MESSAGE), content, vector(signature)]);
  return {
    message: Buffer.concat([u16(MLS_VERSION), authenticated]),
    ref: refHash('MLS 1.0 Proposal Reference', authenticated),
  };
}

/** A change of the encryption group that the server proposed in the current epoch and did not revoke. */
export interface OpenProposal {
  ref: Buffer;
  kind: 'add' | 'remove';
  /** The hash of the added member's key package; undefined if the proposal removes a member. */
  keyPackageRef: Buffer | undefined;
}

interface CommitContext {
  groupId: Uint8Array;
  epoch: bigint;
  senderLeaf: number;
  senderSignatureKey: Uint8Array;
  senderIdentity: Uint8Array;
  open: readonly OpenProposal[];
}

/**
 * Returns what is wrong with a commit (https://daveprotocol.com/#voice-gateway-commit-validity) or with its welcome
 * (https://discord.com/developers/docs/topics/voice-connections#proposals-and-commits). Only members can check a commit's
 * signature and tags, and reject a bad commit with op 31.
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
