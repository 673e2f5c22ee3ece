import type { Cell, End, Wanted } from './cell.ts';
import type { Seen, SeenText } from './run-cell.ts';

/** All differences from the expectations. A cell without differences is green. */
export function problemsOf({ wanted, when }: Pick<Cell, 'wanted' | 'when'>, seen: Seen): readonly string[] {
  const problems = [
    ...problemsOfText('first', wanted.first, seen.first, wanted),
    ...problemsOfText('second', wanted.second, seen.second, wanted),
  ];
  const spoken = [seen.first, seen.second].filter(({ end }) => end === 'spoken').length;
  if (seen.second.end === 'spoken' && seen.newcomersShare < wanted.share) {
    problems.push(`${Math.round(seen.newcomersShare * 100)} % of the second is heard by one who came meanwhile`);
  }
  if (seen.paid > 2) problems.push(`paid ${seen.paid} times for two texts`);
  if (seen.paid < spoken) problems.push(`${spoken} spoken and ${seen.paid} paid`);
  if (seen.clearFrames > (wanted.clearFrames ?? 0)) problems.push(`${seen.clearFrames} frames in the clear`);
  if (seen.notices.length > 1) problems.push(`${seen.notices.length} notices`);
  if (wanted.bot !== 'either' && seen.isBotThere !== (wanted.bot === 'stays')) {
    problems.push(seen.isBotThere ? 'the bot is still in the channel' : 'the bot is not in the channel');
  }
  const isSoundDue = seen.second.end === 'spoken' || (when !== 'idle' && seen.first.end === 'spoken');
  if (isSoundDue && (seen.silentMs ?? Number.POSITIVE_INFINITY) > wanted.recoveryMs) {
    problems.push(seen.silentMs === undefined ? 'never heard again' : `silent for ${seen.silentMs} ms`);
  }
  return problems;
}

function problemsOfText(
  which: string,
  wanted: End,
  seen: SeenText,
  { share, toldShare = share, words }: Wanted,
): string[] {
  const problems: string[] = [];
  const isWanted = wanted === 'spoken or told' ? seen.end === 'spoken' || seen.end === 'told' : seen.end === wanted;
  if (!isWanted) problems.push(`the ${which} is ${seen.end}`);
  if (seen.told.length > 1) problems.push(`the ${which} is told ${seen.told.length} times`);
  if (words && seen.told.some((told) => !words.test(told))) problems.push(`the ${which}: "${seen.told[0]}"`);
  if (seen.end === 'told' && seen.share > toldShare) {
    problems.push(`the ${which} is told not to be spoken, and ${Math.round(seen.share * 100)} % of it is heard`);
  }
  if (seen.end !== 'spoken') return problems;
  if (seen.share < share) problems.push(`${Math.round(seen.share * 100)} % of the ${which} is heard`);
  if (seen.endings > 1) problems.push(`the end of the ${which} is heard ${seen.endings} times`);
  return problems;
}
