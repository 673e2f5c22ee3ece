import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, startWorld, type World } from '../../../src/playground/world/world.ts';
import { call, INTENTS, interactionOf, logIn, type RawGateway, refusals } from '../raw-client.ts';

let world: World;
let gateway: RawGateway;
const clock = createManualClock();

beforeAll(async () => {
  world = await startWorld({ clock });
  gateway = await logIn(world, { intents: INTENTS.guilds });
  await call(world, 'PUT', `/applications/${world.bot.applicationId}/commands`, [{ name: 'panel', description: 'x' }]);
});
afterAll(() => world.close());
// Commands may be used again.
beforeEach(() => clock.advance(10_000));

const input = (change: object = {}) => ({ type: 4, custom_id: 'name', style: 1, ...change });
const label = (component: object, change: object = {}) => ({ type: 18, label: 'Name', component, ...change });
const modal = (change: object = {}) => ({ custom_id: 'm', title: 'Edit', components: [label(input())], ...change });
const asking = (change: object) => modal({ components: [label(input(change))] });
const upload = (change: object) => modal({ components: [label({ type: 19, custom_id: 'file', ...change })] });
const choice = (value: string) => ({ label: value.slice(0, 100), value });
const group = (type: 21 | 22, count: number, change: object = {}) => {
  const options = Array.from({ length: count }, (_, index) => choice(`${index}`));
  return modal({ components: [label({ type, custom_id: 'x', options, ...change })] });
};
const row = (...components: object[]) => modal({ components: [{ type: 1, components }] });
const OF_INPUT = 'components.0.component';

/** Answers a command with a modal. */
async function show(data: object) {
  const { id } = await world.member('olga').types('/panel');
  const { token } = await interactionOf(gateway, id);
  return call(world, 'POST', `/interactions/${id}/${token}/callback`, { type: 9, data }, { token: null });
}

// https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object-modal
describe('a modal is refused', () => {
  it.each([
    ['custom_id BASE_TYPE_REQUIRED', modal({ custom_id: undefined })],
    ['custom_id BASE_TYPE_BAD_LENGTH', modal({ custom_id: 'x'.repeat(101) })],
    ['title BASE_TYPE_REQUIRED', modal({ title: undefined })],
    ['title BASE_TYPE_BAD_LENGTH', modal({ title: 'x'.repeat(46) })],
    ['components BASE_TYPE_BAD_LENGTH', modal({ components: [] })],
    [
      'components BASE_TYPE_BAD_LENGTH',
      modal({ components: Array.from({ length: 6 }, (_, index) => label(input({ custom_id: `${index}` }))) }),
    ],
    ['components.0.type UNION_TYPE_CHOICES', modal({ components: [input()] })],
    ['components.0.components BASE_TYPE_BAD_LENGTH', row(input({ label: 'a' }), input({ label: 'b', custom_id: 'b' }))],
    ['components.0.components BASE_TYPE_BAD_LENGTH', row()],
    ['components.0.components.0.type UNION_TYPE_CHOICES', row({ type: 2, style: 1, label: 'x', custom_id: 'x' })],
    ['components.0.label BASE_TYPE_REQUIRED', modal({ components: [label(input(), { label: undefined })] })],
    ['components.0.label BASE_TYPE_BAD_LENGTH', modal({ components: [label(input(), { label: 'x'.repeat(46) })] })],
    [
      'components.0.description BASE_TYPE_MAX_LENGTH',
      modal({ components: [label(input(), { description: 'x'.repeat(101) })] }),
    ],
    [
      `${OF_INPUT}.disabled COMPONENT_DISABLED_IN_MODAL`,
      modal({ components: [label({ type: 5, custom_id: 'who', disabled: true })] }),
    ],
    [
      `${OF_INPUT}.type UNION_TYPE_CHOICES`,
      modal({ components: [label({ type: 2, style: 1, label: 'x', custom_id: 'x' })] }),
    ],
    [
      'components.1.component.custom_id COMPONENT_CUSTOM_ID_DUPLICATED',
      modal({ components: [label(input()), label(input())] }),
    ],
    [`${OF_INPUT}.style BASE_TYPE_CHOICES`, asking({ style: 3 })],
    [`${OF_INPUT}.style BASE_TYPE_REQUIRED`, asking({ style: undefined })],
    ['components.0.components.0.label BASE_TYPE_MAX_LENGTH', row(input({ label: 'x'.repeat(46) }))],
    [`${OF_INPUT}.min_length NUMBER_TYPE_MAX`, asking({ min_length: 4_001 })],
    [`${OF_INPUT}.min_length NUMBER_TYPE_MIN`, asking({ min_length: -1 })],
    [`${OF_INPUT}.max_length NUMBER_TYPE_MIN`, asking({ max_length: 0 })],
    [`${OF_INPUT}.max_length NUMBER_TYPE_MAX`, asking({ max_length: 4_001 })],
    [`${OF_INPUT}.value BASE_TYPE_MAX_LENGTH`, asking({ value: 'x'.repeat(4_001) })],
    [`${OF_INPUT}.placeholder BASE_TYPE_MAX_LENGTH`, asking({ placeholder: 'x'.repeat(101) })],
    [`${OF_INPUT}.required BOOLEAN_TYPE_CONVERT`, asking({ required: 'yes' })],
    [`${OF_INPUT}.options BASE_TYPE_BAD_LENGTH`, group(21, 1)],
    [`${OF_INPUT}.options BASE_TYPE_BAD_LENGTH`, group(21, 11)],
    [
      `${OF_INPUT}.options.1 SELECT_COMPONENT_OPTION_VALUE_DUPLICATED`,
      group(21, 2, { options: [choice('a'), choice('a')] }),
    ],
    [
      `${OF_INPUT}.options.1.value BASE_TYPE_BAD_LENGTH`,
      group(21, 2, { options: [choice('a'), choice('x'.repeat(101))] }),
    ],
    [`${OF_INPUT}.options BASE_TYPE_BAD_LENGTH`, group(22, 0)],
    [`${OF_INPUT}.options BASE_TYPE_BAD_LENGTH`, group(22, 11)],
    [`${OF_INPUT}.min_values NUMBER_TYPE_MAX`, group(22, 10, { min_values: 11 })],
    [`${OF_INPUT}.max_values SELECT_COMPONENT_MAX_VALUES_TOO_LARGE`, group(22, 2, { max_values: 3 })],
    [`${OF_INPUT}.min_values SELECT_COMPONENT_MIN_VALUES_TOO_LARGE`, group(22, 3, { min_values: 3, max_values: 2 })],
    [
      `${OF_INPUT}.default BOOLEAN_TYPE_CONVERT`,
      modal({ components: [label({ type: 23, custom_id: 'x', default: 'yes' })] }),
    ],
    [`${OF_INPUT}.min_values SELECT_COMPONENT_MIN_VALUES_TOO_LARGE`, upload({ min_values: 3, max_values: 2 })],
    [`${OF_INPUT}.min_values NUMBER_TYPE_MAX`, upload({ min_values: 11 })],
    [`${OF_INPUT}.max_values NUMBER_TYPE_MIN`, upload({ max_values: 0 })],
    [`${OF_INPUT}.max_values NUMBER_TYPE_MAX`, upload({ max_values: 11 })],
  ])('%s', async (expected, data) => {
    expect(refusals(await show(data))).toContain(`data.${expected}`);
  });

  it.each([
    ['an input', modal()],
    ['two choices', group(21, 2)],
    ['ten boxes, of which all may be ticked', group(22, 10, { min_values: 2 })],
    ['a box', modal({ components: [label({ type: 23, custom_id: 'x', default: true })] })],
  ])('not with %s', async (_, data) => {
    expect((await show(data)).status).toBe(204);
  });
});
