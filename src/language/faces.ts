/** What eyes, mouths and cheeks are drawn with; other letters and signs may stand between. */
const FEATURE = '°º•◕◔◉☉⊙●◡‿﹏╥ಠಥ益ツʘʖᴥᴗ□■⌐¬▽△∀皿ヮ≧≦ᵔ˘￣¯ﾟ゜・･´｀^ಡ๑๏';
/** Arms, thrown tables and what flies around them. */
const ARM = String.raw`\\/_~*=\u2500-\u257Fノﾉヽヾヘシᕕᕗᕙᕦᕤლงづっつ⊃⊂凸彡︵︶☆★♡♥～୧୨`;
const BETWEEN = String.raw`\s.,:;'"\x60\-<>|!oOTuUvwxXnqДωεдз｡\u035C\u0361\u0301\u0300`;

/** `¯\_(ツ)_/¯`, `(╯°□°)╯︵ ┻━┻`, `( ͡° ͜ʖ ͡°)`, `ʕ•ᴥ•ʔ`: in brackets. */
const IN_BRACKETS = new RegExp(`[${ARM}¯]{0,8}[(（ʕ][${FEATURE}${ARM}${BETWEEN}]{1,20}[)）ʔ][${ARM}¯]{0,8}`, 'gu');
const FEATURES = new RegExp(`[${FEATURE}]`, 'gu');
/** `ಠ_ಠ`, and a table by itself. */
const BARE = /[ಠಥ°º•◕][_‿﹏]{1,3}[ಠಥ°º•◕]|[┻┬][━─]{1,5}[┻┬]/gu;

/** Letters of scripts with spaces between words. Within a word, a face may disguise a blocked word. */
const IN_WORD = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]/u;

/** It has two eyes, or is ツ, a whole face, or a table. */
const isFace = (drawn: string): boolean => /[ツ┻┬]/u.test(drawn) || (drawn.match(FEATURES)?.length ?? 0) >= 2;

/**
 * A text without the faces that are drawn with letters of other scripts: a voice would spell them, and they are in no language.
 * Faces of ASCII, such as `:)` and `x_x`, are left to the dictionary.
 */
export function withoutFaces(text: string): string {
  return [IN_BRACKETS, BARE].reduce(
    (rest, faces) =>
      rest.replaceAll(faces, (drawn, at: number) => {
        const isInWord = IN_WORD.test(rest[at - 1] ?? '') && IN_WORD.test(rest[at + drawn.length] ?? '');
        return isFace(drawn) && !isInWord ? ' ' : drawn;
      }),
    text,
  );
}
