/** Characters that draw the eyes, mouths and cheeks of a face. Other letters and signs may be between them. */
const FEATURE = '°º•◕◔◉☉⊙●◡‿﹏╥ಠಥ益ツʘʖᴥᴗ□■⌐¬▽△∀皿ヮ≧≦ᵔ˘￣¯ﾟ゜・･´｀^ಡ๑๏';
/** Characters that draw a face's arms, thrown tables and things that fly around. */
const ARM = String.raw`\\/_~*=\u2500-\u257Fノﾉヽヾヘシᕕᕗᕙᕦᕤლงづっつ⊃⊂凸彡︵︶☆★♡♥～୧୨`;
const BETWEEN = String.raw`\s.,:;'"\x60\-<>|!oOTuUvwxXnqДωεдз｡\u035C\u0361\u0301\u0300`;

/** Matches drawn faces in brackets: `¯\_(ツ)_/¯`, `(╯°□°)╯︵ ┻━┻`, `( ͡° ͜ʖ ͡°)`, `ʕ•ᴥ•ʔ`. */
const IN_BRACKETS = new RegExp(`[${ARM}¯]{0,8}[(（ʕ][${FEATURE}${ARM}${BETWEEN}]{1,20}[)）ʔ][${ARM}¯]{0,8}`, 'gu');
const FEATURES = new RegExp(`[${FEATURE}]`, 'gu');
/** Matches drawn faces without brackets (`ಠ_ಠ`), and drawn tables (`┻━┻`). */
const BARE = /[ಠಥ°º•◕][_‿﹏]{1,3}[ಠಥ°º•◕]|[┻┬][━─]{1,5}[┻┬]/gu;

/** A drawn face between two of these characters is not removed: a face inside a word may disguise a blocked word. */
const IN_WORD = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]/u;

/** True if the drawing has two features of a face (such as eyes), ツ (a whole face), or a drawn table (`┻━┻`). */
const isFace = (drawn: string): boolean => /[ツ┻┬]/u.test(drawn) || (drawn.match(FEATURES)?.length ?? 0) >= 2;

/** Removes faces drawn with foreign letters, which voices would spell. The dictionary handles `:)` and `x_x`. */
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
