import { expect, test } from 'vitest';
import { withoutFaces } from '../../src/language/faces.ts';

test.each([
  '¯\\_(ツ)_/¯',
  '(╯°□°)╯︵ ┻━┻',
  '┬─┬ノ( º _ ºノ)',
  '(ノಠ益ಠ)ノ彡┻━┻',
  '( ͡° ͜ʖ ͡°)',
  'ʕ•ᴥ•ʔ',
  '(づ｡◕‿‿◕｡)づ',
  '(´・ω・`)',
  '(^_^)',
  'ಠ_ಠ',
])('%s is a face', (face) => {
  expect(withoutFaces(`so ${face} then`).split(/\s+/u)).toEqual(['so', 'then']);
});

test.each([
  '(x)',
  '(20°C, 30°C)',
  '(a • b • c)',
  '(ツアー)',
  '(益)',
  '(ω, ε)',
  'f(x) = (x^2)^3',
  'snake_case t_t_x',
  'すごい(笑)ノート',
  'at 12:30 :0',
  'std::vector',
  ':)',
  'sh°_°it',
  '[laugh] <soft>a</soft></loud>',
])('%s is none', (words) => expect(withoutFaces(words)).toBe(words));
