import { Buffer } from 'node:buffer';
import * as z from 'zod';

const file = z
  .strictObject({ name: z.string().min(1).max(255), type: z.string().max(100), base64: z.base64() })
  .transform(({ name, type, base64 }) => ({
    name,
    bytes: new Uint8Array(Buffer.from(base64, 'base64')),
    ...(type === '' ? {} : { contentType: type }),
  }));
const option = z.union([z.string(), z.number(), z.boolean(), file]);
const field = z.union([z.string(), z.array(z.string()), z.array(file)]);
const id = z.string().max(32);

/** All that a page may ask for: the acts of one person, and the switches of the playground. */
const actSchema = z.discriminatedUnion('do', [
  /** Whose eyes and ears, and where. Sent first, and at each change. */
  z.strictObject({ do: z.literal('look'), as: z.string(), at: z.string(), hear: z.string() }),
  z.strictObject({ do: z.literal('language'), code: z.string().max(10) }),
  z.strictObject({ do: z.literal('command'), name: z.string(), options: z.record(z.string(), option) }),
  z.strictObject({
    do: z.literal('complete'),
    name: z.string(),
    option: z.string(),
    typed: z.string(),
    filled: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  }),
  z.strictObject({ do: z.literal('write'), text: z.string(), files: z.array(file) }),
  z.strictObject({ do: z.literal('press'), message: id, control: z.string() }),
  z.strictObject({ do: z.literal('pick'), message: id, control: z.string(), values: z.array(z.string()) }),
  z.strictObject({ do: z.literal('submit'), modal: id, fields: z.record(z.string(), field) }),
  z.strictObject({ do: z.literal('app'), command: z.string(), message: id }),
  z.strictObject({ do: z.literal('file'), message: id, name: z.string() }),
  z.strictObject({ do: z.literal('join'), channel: z.string() }),
  z.strictObject({ do: z.literal('leave') }),
  z.strictObject({ do: z.literal('mute'), on: z.boolean() }),
  z.strictObject({ do: z.literal('deafen'), on: z.boolean() }),
  z.strictObject({ do: z.literal('fault'), words: z.string().max(100) }),
]);

export type Act = z.infer<typeof actSchema>;

/** The session comes first; a number of its own tells the answer to each act from the others. */
export const helloSchema = z.strictObject({ session: z.string().max(64) });
export const requestSchema = z.strictObject({ id: z.int(), act: actSchema });
