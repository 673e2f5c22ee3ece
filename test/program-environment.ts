const { PATH = '', NODE_COMPILE_CACHE } = process.env;

/**
 * For a program under test, which gets none of our settings. Node need not compile the same program at each of its many
 * starts.
 */
export const programEnv: Readonly<Record<string, string>> = {
  PATH,
  ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
};
