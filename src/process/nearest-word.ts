/** The Damerau-Levenshtein distance (optimal string alignment): two swapped letters count as one error. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let distance = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1);
      }
      current[column] = distance;
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}

export function nearestWord(
  written: string,
  words: readonly string[],
  most = Math.max(1, written.length / 3),
): string | undefined {
  const byDistance = words.map((word) => ({ word, distance: editDistance(written, word) }));
  const [nearest] = byDistance.filter(({ distance }) => distance <= most).sort((a, b) => a.distance - b.distance);
  return nearest?.word;
}
