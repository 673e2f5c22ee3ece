// As in the bot: discord.js takes the FormData that is global when it loads.
import '../../src/process/fetch-globals.ts';
import {
  type ChatInputCommandInteraction,
  Client,
  Events,
  GatewayIntentBits,
  REST,
  Routes,
  SlashCommandBuilder,
} from 'discord.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../src/playground/world/world.ts';

const SAY = new SlashCommandBuilder()
  .setName('say')
  .setDescription('Speak a text')
  .addStringOption((option) => option.setName('text').setDescription('What to say').setRequired(true))
  .addStringOption((option) => option.setName('voice').setDescription('Which voice').setAutocomplete(true));

let world: World;
let client: Client;

beforeEach(async () => {
  world = await startWorld();
});

afterEach(async () => {
  await client?.destroy();
  await world.close();
});

async function logIn(onCommand: (interaction: ChatInputCommandInteraction) => Promise<void>): Promise<void> {
  client = new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildVoiceStates],
    rest: { api: world.botEnv.DISCORD_API_URL },
    shards: 'auto' as never,
  });
  client.on(Events.InteractionCreate, (interaction) => {
    if (interaction.isChatInputCommand()) void onCommand(interaction);
    if (interaction.isAutocomplete()) {
      void interaction.respond([{ name: `Ada (${interaction.options.getFocused()})`, value: 'ada' }]);
    }
  });
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(world.botEnv.DISCORD_TOKEN);
  await ready;
  const rest = new REST({ api: world.botEnv.DISCORD_API_URL }).setToken(world.botEnv.DISCORD_TOKEN);
  await rest.put(Routes.applicationCommands(world.bot.applicationId), { body: [SAY.toJSON()] });
  await world.botReady({ timeoutMs: 2_000 });
}

describe('the real discord.js on the loopback Discord', () => {
  it('logs in, registers a command, receives it with its options and replies', async () => {
    await logIn(async (interaction) => {
      await interaction.reply(`You said ${interaction.options.getString('text', true)}`);
    });
    expect(client.guilds.cache.get(world.guildId)?.name).toBe('Playground');
    const sent = await world.member('alice').types('/say text:Hello there voice:ada');
    const reply = await sent.reply({ timeoutMs: 2_000 });
    expect(reply).toMatchObject({ content: 'You said Hello there', ephemeral: false, failed: false, author: 'Crier' });
    expect(sent.acknowledgedAtMs).toBeGreaterThan(sent.sentAtMs);
    expect(world.channel('general').messages.map((message) => message.content)).toEqual(['You said Hello there']);
  });

  it('defers, edits the reply, follows up with a file and deletes', async () => {
    await logIn(async (interaction) => {
      await interaction.deferReply();
      await interaction.editReply({ content: 'Speaking', embeds: [{ title: 'Credits', description: '12' }] });
      await interaction.followUp({
        content: 'for you',
        flags: 64,
        files: [{ attachment: Buffer.from('RIFF'), name: 'a.wav' }],
      });
      await interaction.deleteReply();
    });
    const sent = await world.member('alice').types('/say hello');
    const reply = await sent.reply({ timeoutMs: 2_000, until: /for you/ });
    expect(reply.ephemeral).toBe(true);
    expect(reply.files.map((file) => [file.name, Buffer.from(file.bytes).toString()])).toEqual([['a.wav', 'RIFF']]);
    await world.until(() => sent.replies[0]?.deleted === true, { timeoutMs: 2_000, what: 'the placeholder to go' });
    expect(sent.replies[0]?.history.map(({ text, thinking }) => [text, thinking])).toEqual([
      ['', true],
      ['Speaking\nCredits\n12', false],
    ]);
    expect(world.member('bob').sees('general')).toEqual([]);
    expect(
      world
        .member('alice')
        .sees('general')
        .map((message) => message.content),
    ).toEqual(['for you']);
  });

  it('offers choices while the person types', async () => {
    await logIn(async () => {});
    const choices = await world.member('alice').autocompletes('say', { voice: 'a' }, { filled: { text: 'x' } });
    expect(choices).toEqual([{ name: 'Ada (a)', value: 'ada' }]);
  });

  it('resumes after the connection was cut, and gets the missed events', async () => {
    await logIn(async (interaction) => {
      await interaction.reply('still here');
    });
    world.faults.dropGateway();
    const sent = await world.member('alice').types('/say text:again');
    expect((await sent.reply({ timeoutMs: 4_000 })).content).toBe('still here');
    expect(world.bot.resumes).toBe(1);
    expect(world.bot.identifies).toBe(1);
  });

  it('sees an outage as a server that is unavailable, not as one it left', async () => {
    await logIn(async () => {});
    const unavailable = new Promise((resolve) => client.once(Events.GuildUnavailable, resolve));
    let deleted = false;
    client.once(Events.GuildDelete, () => {
      deleted = true;
    });
    const endOutage = world.outage();
    await unavailable;
    const back = new Promise((resolve) => client.once(Events.GuildAvailable, resolve));
    endOutage();
    await back;
    expect(deleted).toBe(false);
  });
});
