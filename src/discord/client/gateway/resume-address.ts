/** The used part of a shard of @discordjs/ws. */
export interface ResumingShard {
  readonly strategy: {
    readonly options: { readonly gatewayInformation: { readonly url: string } };
    retrieveSessionInfo(shardId: number): Promise<{ readonly resumeURL: string } | null>;
  };
  on(event: 'hello' | 'closed', listener: () => void): unknown;
}

/** Two seconds of them: an address that refuses for a moment need not be left. */
const MOST_REFUSALS = 3;

/**
 * Each session has an address of its own to resume at, which Discord may take away. A shard that is refused there, before it can
 * say anything, does not learn that its session is over, and would ask there for ever: it resumes at the common address then.
 */
export function resumeElsewhere(shard: ResumingShard): void {
  const { strategy } = shard;
  const retrieve = strategy.retrieveSessionInfo.bind(strategy);
  /** The end of the connection that is to be resumed is the first. */
  let endsWithoutHello = 0;
  shard.on('hello', () => {
    endsWithoutHello = 0;
  });
  shard.on('closed', () => {
    endsWithoutHello += 1;
  });
  strategy.retrieveSessionInfo = async (shardId) => {
    const session = await retrieve(shardId);
    if (!session || endsWithoutHello <= MOST_REFUSALS) return session;
    return { ...session, resumeURL: strategy.options.gatewayInformation.url };
  };
}
