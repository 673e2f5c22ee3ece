import type { Posted } from '../../src/reading/decision.ts';

type Parts = Partial<Omit<Posted, 'author'>> & { readonly author?: Partial<Posted['author']> };

let messages = 0;

/** An ordinary message: Ann's (member 1, with role 10, in no voice channel) in channel 20 of server 9. */
export function postedBy({ author, ...parts }: Parts = {}): Posted {
  messages += 1;
  return {
    id: `${messages}`,
    guildId: '9',
    channelId: '20',
    parentChannelId: undefined,
    guildLocale: 'en-US',
    atMs: Date.now(),
    isSilent: false,
    replyTo: undefined,
    content: 'Hello.',
    attachments: [],
    stickers: [],
    names: async () => ({ users: () => undefined, channels: () => undefined, roles: () => undefined }),
    ...parts,
    author: {
      id: '1',
      name: 'Ann',
      kind: 'member',
      roleIds: ['10'],
      isAdmin: false,
      voiceChannelId: undefined,
      ...author,
    },
  };
}
