import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';

type Fields = Record<string, unknown>;

/** As much of a stored value as this version can read. */
interface ReadRecord<Value> {
  /** Undefined where nothing of it can be read. */
  readonly value: Value | undefined;
  /** The fields that cannot be read, those with an element that cannot included; '' stands for the whole value or a list. */
  readonly unreadable: readonly string[];
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads a stored value field by field: another version of Crier may have written it, and one field that cannot be read must
 * not cost the others. Of an array only the elements that cannot be read are left out. `fallback` has the values of fields
 * that must not count as absent when they cannot be read: a limit would be none; those of an array take the place of what is
 * left out. Pure.
 */
export function readRecord<Value>(
  schema: z.ZodType<Value>,
  kept: unknown,
  fallback: Partial<Value> = {},
): ReadRecord<Value> {
  const parsed = schema.safeParse(kept);
  if (parsed.success) return { value: parsed.data, unreadable: [] };
  if (schema instanceof z.ZodArray && Array.isArray(kept)) {
    const again = schema.safeParse(split(kept, parsed.error.issues, 0).readable);
    return { value: again.data as Value | undefined, unreadable: [''] };
  }
  if (!(schema instanceof z.ZodObject) || !isFields(kept)) return { value: undefined, unreadable: [''] };
  const fields = structuredClone(kept);
  const broken = Map.groupBy(parsed.error.issues, ({ path }) => String(path[0] ?? ''));
  for (const [field, issues] of broken) {
    const present = fields[field];
    const instead = fallback[field as keyof Value];
    const elements = Array.isArray(present) ? split(present, issues, 1).readable : [];
    const isPartly = issues.every(({ path }) => typeof path[1] === 'number') && elements.length > 0;
    if (isPartly) fields[field] = [...elements, ...(Array.isArray(instead) ? instead : [])];
    else if (instead !== undefined) fields[field] = instead;
    else delete fields[field];
  }
  const again = schema.safeParse(fields);
  if (!again.success) return { value: undefined, unreadable: [''] };
  return { value: again.data as Value, unreadable: [...broken.keys()] };
}

/** The elements of a list that issues speak of, whose paths name them at `depth`, and the others. */
function split(list: readonly unknown[], issues: readonly z.core.$ZodIssue[], depth: number) {
  const indexes = new Set(issues.map(({ path }) => path[depth]));
  const [unreadable, readable] = [true, false].map((is) => list.filter((_, index) => indexes.has(index) === is));
  return { readable: readable ?? [], unreadable: unreadable ?? [] };
}

/**
 * The value to store in the place of `kept`: with the fields of `kept` that this version does not know, and with those that
 * it cannot read and that were not changed. A newer version that comes back finds them. Pure.
 */
export function mergeUnread<Value>(
  schema: z.ZodType<Value>,
  kept: unknown,
  value: Value,
  fallback: Partial<Value> = {},
): unknown {
  if (schema instanceof z.ZodArray && Array.isArray(kept) && Array.isArray(value))
    return mergeLists(schema, kept, value);
  if (!(schema instanceof z.ZodObject) || !isFields(kept) || !isFields(value)) return value;
  const { value: before, unreadable } = readRecord(schema, kept, fallback);
  const seen: Fields = isFields(before) ? before : {};
  const written: Fields = value;
  const unchanged = unreadable.filter((field) => field in kept && isDeepStrictEqual(seen[field], written[field]));
  const carried = Object.keys(kept).filter((field) => !(field in schema.shape) || unchanged.includes(field));
  return { ...written, ...Object.fromEntries(carried.map((field) => [field, kept[field]])) };
}

/** A list with the elements of the kept one that cannot be read, unless it is too long with them: then all would be lost. */
function mergeLists(schema: z.ZodArray, kept: readonly unknown[], value: readonly unknown[]): readonly unknown[] {
  const { unreadable } = split(kept, schema.safeParse(kept).error?.issues ?? [], 0);
  const all = [...value, ...unreadable];
  return schema.safeParse(all).error?.issues.some(({ path }) => path.length === 0) ? value : all;
}
