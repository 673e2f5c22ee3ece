import { beforeEach, describe, expect, it } from 'vitest';
import { FaultBoard, type Machine } from '../../../src/playground/demo/faults.ts';
import type { World } from '../../../src/playground/world/world.ts';
import { openWorld } from '../../discord/logged-in.ts';
import { call, connect } from '../raw-client.ts';

let world: World;
let asked: unknown[];
let board: FaultBoard;
const MACHINE: Machine = {
  restartBot: () => Promise.reject(new Error('There is no bot')),
  hasOwnSpeech: true,
  setSpeechFaults: async (faults) => void asked.push(faults),
};
const statusOfRequest = async () => (await call(world, 'GET', '/users/@me')).status;

describe('the faults at the prompt', () => {
  beforeEach(async () => {
    asked = [];
    world = await openWorld();
    board = new FaultBoard(world, MACHINE);
  });

  it('are listed with their values, those of the speech service only if it has switches', () => {
    const line = /^ {2}gateway-session lost\|resumable +declare the gateway session invalid \(op 9\)$/m;
    expect(board.text()).toMatch(line);
    const names = (of: FaultBoard) => of.list().map(({ name }) => name);
    const other = new FaultBoard(world, { ...MACHINE, hasOwnSpeech: false });
    const missing = names(board).filter((name) => !names(other).includes(name));
    expect(missing).toEqual(['speech-unavailable', 'speech-used-up', 'speech-slow']);
  });

  it('happen once, with the first value when none is given', async () => {
    expect(await board.set('rest-error')).toBe(
      "Done: rest-error 500 (answer the bot's next request with this status).",
    );
    expect([await statusOfRequest(), await statusOfRequest()]).toEqual([500, 200]);
  });

  it.each([
    ['storm', 'faults lists them'],
    ['rest-error soon', 'Type fault '],
    ['gateway-session perhaps', 'Type fault '],
    ['rest-error 500 2', 'Type fault '],
    ['__proto__', 'faults lists them'],
  ])('say what is wrong with "%s", and change nothing', async (words, problem) => {
    await expect(board.set(words)).rejects.toThrow(problem);
    expect(await statusOfRequest()).toBe(200);
  });

  it('last until they are switched off, by off or by 0', async () => {
    const lastingValue = (name: string) => board.list().find((fault) => fault.name === name)?.value;
    await board.set('gateway-down on');
    expect(lastingValue('gateway-down')).toBe('on');
    await expect(connect(world)).rejects.toThrow('503');
    await board.set('gateway-down off');
    (await connect(world)).cut();
    await board.set('speech-slow');
    expect(lastingValue('speech-slow')).toBe('30000');
    await board.set('speech-slow 0');
    expect(asked).toEqual([{ audioBytesPerSecond: 30_000 }, { audioBytesPerSecond: 0 }]);
    expect(['gateway-down', 'speech-slow'].map(lastingValue)).toEqual([undefined, undefined]);
  });
});
