/**
 * The bot's Node flags, also used in package.json, Dockerfile and deploy/. Every packet creates a buffer or two. With
 * Node's default of 16 MB for young objects, about ten thousand are cleared at a time. A helper thread then holds a
 * single core for up to 16 ms, in which no packet leaves. With 2 MB, each pause is a tenth as long. With 600 speakers
 * on one core, 100 % of packets are on time instead of 91 to 95 %.
 */
export const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=2'];
