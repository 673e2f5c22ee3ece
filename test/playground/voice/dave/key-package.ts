import { generateKeyPairSync, sign } from 'node:crypto';
import { u8, u16, u64, vector } from '../../../../src/playground/voice/dave/codec.ts';

const FOREVER = 0xffff_ffff_ffff_ffffn;
const NONE = vector(Buffer.alloc(0));

/** Where a leaf comes from: a key package that is valid in this time, or a commit (RFC 9420 section 7.2). */
export const leafSource = {
  keyPackage: (notBefore = 0n, notAfter = FOREVER) => Buffer.concat([u8(1), u64(notBefore), u64(notAfter)]),
  commit: () => Buffer.concat([u8(3), NONE]),
};

/** Where its fields are: init, encryption and signature key take 67 bytes each with their lengths. */
export const OFFSET = {
  version: 1,
  ciphersuite: 3,
  credentialType: 4 + 3 * 67 + 1,
  leafSource: 4 + 3 * 67 + 2 + 9 + 5,
};

/** A key package that is right in all but, maybe, the source of its leaf: RFC 9420 section 10, as DAVE has it. */
export function keyPackageFor(userId: string, source = leafSource.keyPackage()): Buffer {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = vector(Buffer.concat([u8(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]));
  const signed = (label: string, content: Buffer) => {
    const labeled = Buffer.concat([vector(Buffer.from(`MLS 1.0 ${label}`)), vector(content)]);
    return Buffer.concat([content, vector(sign('sha256', labeled, privateKey))]);
  };
  const credential = Buffer.concat([u16(1), vector(u64(BigInt(userId)))]);
  const capabilities = Buffer.concat([NONE, NONE, NONE, NONE, NONE]);
  const leaf = signed('LeafNodeTBS', Buffer.concat([point, point, credential, capabilities, source, NONE]));
  return signed('KeyPackageTBS', Buffer.concat([u16(1), u16(2), point, leaf, NONE]));
}
