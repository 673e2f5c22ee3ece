import { generateKeyPairSync, sign } from 'node:crypto';
import { u8, u16, u64, vector } from '../../../../src/playground/voice/dave/codec.ts';

/** A key package that is right in all but, maybe, its lifetime: RFC 9420 section 10, with the parameters of DAVE. */
export function keyPackageFor(userId: string, lifetime: { notBefore: bigint; notAfter: bigint }): Buffer {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = vector(Buffer.concat([u8(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]));
  const signed = (label: string, content: Buffer) => {
    const labelled = Buffer.concat([vector(Buffer.from(`MLS 1.0 ${label}`)), vector(content)]);
    return Buffer.concat([content, vector(sign('sha256', labelled, privateKey))]);
  };
  const none = vector(Buffer.alloc(0));
  const credential = Buffer.concat([u16(1), vector(u64(BigInt(userId)))]);
  const capabilities = Buffer.concat([none, none, none, none, none]);
  const source = Buffer.concat([u8(1), u64(lifetime.notBefore), u64(lifetime.notAfter)]);
  const leaf = signed('LeafNodeTBS', Buffer.concat([point, point, credential, capabilities, source, none]));
  return signed('KeyPackageTBS', Buffer.concat([u16(1), u16(2), point, leaf, none]));
}
