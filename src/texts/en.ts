import { SPEED_RANGE, TEMPERATURE_RANGE } from '../speech/interface/models.ts';

/**
 * Every text a person can read in Discord, in English. Messages are ICU MessageFormat: `{name}` is put in as it is,
 * `{count, number}` and `{count, plural, …}` follow the reader's language. A language is one more file of this
 * shape, and a new key is written in every language.
 */
export const en = {
  'language.own-name': 'English',

  // Parts of other texts
  'voice.label': '{name} ({model})',
  'credits.used-and-left':
    '-# {used, plural, one {# credit} other {# credits}} used, {left, plural, one {# credit} other {# credits}} left.',
  'credits.used-and-left-local':
    '-# {used, plural, one {# credit} other {# credits}} used, {left, plural, one {# credit} other {# credits}} left. The voice is local: they cost nothing.',
  'spent.used': '-# {used, plural, one {# credit} other {# credits}} used.',
  'spent.maybe-more': '-# What was being made when it was stopped may cost more.',
  'spent.cached': '-# Made before, so it was at hand: no credits used.',
  'list.separator': ', ',
  'parameter.voice': 'voice',
  'parameter.style': 'style',
  'parameter.speed': 'speed',
  'parameter.temperature': 'temperature',
  'parameter.seed': 'seed',
  'parameter.format': 'format',
  'source.option': 'as you asked',
  'source.forced': 'chosen for this server instead of members’ own',
  'source.own-here': 'your own in this server',
  'source.own-everywhere': 'your own everywhere',
  'source.server': 'this server’s default',
  'source.bot': 'the bot’s default',

  // /say
  'say.description': 'Speak a text in your voice channel, or get it as a file or voice message',
  'say.text': 'What to say',
  'say.voice': 'Type a name, a model or a language, and pick a voice; otherwise your usual one speaks',
  'say.style': 'How to say it, such as: in a whisper. Some voices only',
  'say.speed': `How fast: 1 is normal, ${SPEED_RANGE.min} slowest, ${SPEED_RANGE.max} fastest. Some voices only`,
  'say.temperature': `How freely it is spoken: ${TEMPERATURE_RANGE.min} most even, ${TEMPERATURE_RANGE.max} most varied. Some voices only`,
  'say.seed': 'A number that makes the same text sound the same again. Some voices only',
  'say.format': 'The kind of audio to ask the speech service for',
  'say.spoken': 'Spoken in {channel} with {voice}: “{text}”',
  'say.stopped': 'Stopped before the end, in {channel} with {voice}: “{text}”',
  'say.default-gone': '-# This server’s default voice, {voice}, no longer exists, so the bot’s own default was used.',
  'say.own-gone': '-# Your own voice, {voice}, no longer exists, so another one speaks. Choose anew with /voice set.',
  'say.ignored': '-# {voice} takes no {parameters}: left out.',
  'say.channel': 'The voice channel to speak in; otherwise yours',
  'say.as': 'Spoken in the voice channel, or as an audio file or voice message; otherwise spoken',
  'say.as.voice': 'in the voice channel',
  'say.as.file': 'audio file',
  'say.as.voice-message': 'voice message',
  'say.form': 'Speak a long text',
  'say.form-text': 'What to say',
  'say.form-hint': 'Up to 4,000 characters, spoken without a break.',
  'say.confirm':
    'That is a long text: {characters, plural, one {# character is} other {# characters are}} billed. {as, select, voice {Speak it?} file {Make the file?} other {Make the voice message?}}',
  'say.confirm-about':
    'That is a long text: {characters, plural, one {# character is} other {# characters are}} billed, about {about, plural, one {# credit} other {# credits}}. {as, select, voice {Speak it?} file {Make the file?} other {Make the voice message?}}',
  'say.confirm-yes': '{as, select, voice {Speak it} file {Make the file} other {Make the voice message}}',
  'say.again': 'Try again',
  'say.edit': 'Edit the text',
  'say.skip': 'Skip',
  'say.stop': 'Stop',
  'say.replay': 'Speak again',
  'say.save': 'Save as file',
  'say.waiting': '-# Waiting at position {position, number}.',
  'say.waiting-for': '-# Waiting at position {position, number}, for about {wait}.',
  'say.joining': '-# Joining {channel} …',
  'say.raising-hand': '-# Asking to speak in {channel}: a moderator of the stage has to invite the bot …',
  'say.synthesising': '-# Making the speech …',
  'say.busy': '-# The speech service is busy: tried for {seconds, number} s so far …',
  'say.synthesising-part': '-# Making the speech: part {part, number} of {parts, number} …',
  'say.speaking': '-# Speaking in {channel} with {voice}: “{text}”',
  'say.speaking-part': '-# Speaking part {part, number} of {parts, number} in {channel} with {voice}: “{text}”',
  'say.paused': '-# Paused in {channel}. /resume goes on.',
  'say.billed':
    '-# {characters, plural, one {# character is} other {# characters are}} billed, in {parts, number} parts.',
  'say.file': 'With {voice}: “{text}”',
  'say.voice-message': 'Sent with {voice}: “{text}”',
  'say.voice-message-refused':
    '-# Discord takes no voice message from the bot here, so this is a file. In a server the bot needs the permission Send Voice Messages.',
  'say.no-voice-here':
    'There is no voice channel here. Choose “audio file” or “voice message” in the option as of /say.',
  'say.text-too-slow':
    'This was not spoken: its words took too long to be looked through. Write it in fewer or plainer signs.',
  'say.texts-busy': 'Too many long texts are being looked through at the moment. Try again in a few seconds.',
  'say.too-long':
    'That text is too long: it has {length, number} characters, and this server allows {limit, number}. Shorten it.',
  'say.empty': 'There is nothing to say in that text: it needs a letter, a digit or an emoji.',
  'say.silenced':
    'This server’s dictionary leaves nothing of that text to say. Use other words, or ask someone who manages the server to change it with /dictionary list.',

  // Message commands, and what can be kept
  'speak-message.description': 'Speak that message in your voice channel, with your voice',
  'save-speech.description': 'Give you that message as an audio file, with your voice',
  'speak-message.bots-own':
    'That message is the bot’s own. To hear again what was spoken, use “Speak again” below it, or /replay; “Save as file” gives it as a file.',
  'save.saved': 'Saved: “{text}”',

  // /voices
  'voices.description': 'List the voices that can be used',
  'voices.search': 'Show only the voices that match a name, a model or a language',
  'voices.model-option': 'Show only the voices of this model',
  'voices.language-option': 'Show only the voices that speak this language',
  'voices.title': '{count, plural, one {# voice} other {# voices}} to choose from:',
  'voices.found': '{count, plural, one {# voice matches} other {# voices match}} “{search}”:',
  'voices.left': '{count, plural, one {# voice} other {# voices}} of that kind:',
  'voices.line': '- **{name}** ({model}), {language}{style, select, yes {, takes a style} other {}}',
  'voices.any-language': 'any language',
  'voices.every-model': 'Every model',
  'voices.every-language': 'Every language',
  'voices.count': '{count, plural, one {# voice} other {# voices}}',
  'voices.option': '{model} · {language}',
  'voices.choose': 'Choose a voice to hear or to keep',
  'voices.hint': '-# Choose one below to hear it or to keep it, or type its name into the voice option of /say.',
  'voices.none': 'No voice matches “{search}”. Try a shorter search, or /voices alone for the whole list.',
  'voices.none-left': 'No voice is of that kind. Choose another model or language.',
  'voices.none-both':
    'Voices match “{search}”, but none of them is of that model and language. Choose another model or language.',
  'voices.unknown-model': 'There is no voice of a model “{model}”. /voices alone shows the models there are.',
  'voices.unknown-language':
    'The bot knows no language “{language}”. Pick one from the list, or type its name or its code, such as English or en.',
  'voices.gone': 'That voice no longer exists. Look at /voices for those that do.',
  'voices.card':
    '**{name}**\nModel: {model}\nLanguage: {language}\nFormats: {formats}\nStyle: {style, select, yes {can be given} other {not taken}}',
  'voices.preview': 'Listen',
  'voices.use-mine': 'Use as mine',
  'voices.use-default': 'Use as server default',
  'voices.sample': 'Hello! This is how I sound. I hope you like what you hear.',
  'voices.previewed': 'That was {voice}.',
  'voices.stale': '-# The speech service does not answer at the moment; this is the list from {since}.',

  // /tags
  'tags.description': 'Show the speech tags that a voice understands',
  'tags.voice': 'The voice; otherwise the one you usually speak with',
  'tags.none':
    '{voice} understands no tags: it would read them out. Look at /voices for another voice, or use the style option of /say where a voice takes one.',
  'tags.square':
    '{voice} understands tags in square brackets, in your own words, where they should take effect: `[whispering]`, `[cheerful]`, `[pause]`.',
  'tags.angle':
    '{voice} understands short tags in angle brackets, in your own words, where they should be heard: `<sigh>`, `<short pause>`. How the whole text is said goes into the style option of /say.',
  'tags.closed': '{voice} understands these tags.',
  'tags.instant': 'Where they stand: {tags}',
  'tags.wrapping': 'Around words: {tags}',
  'tags.hint': '-# Put them into the text of /say. They count as characters; a misspelt tag is read out.',
  'tags.sample-square': '[cheerful] Hello there! [whispering] This is a secret. [pause] And now you know it.',
  'tags.sample-angle': 'Well. <sigh> There it is again. <short pause> What shall we do?',
  'tags.sample-closed': 'Hello there! [chuckle] <whisper>This is a secret.</whisper> [pause] And now you know it.',

  // /voice
  'voice.description': 'Choose what you speak with',
  'voice.set.description': 'Keep a voice, style, speed or temperature for everything you say',
  'voice.set.voice': 'Type a name, a model or a language, and pick the voice to keep',
  'voice.show.description': 'Show what you speak with, and where each value comes from',
  'voice.reset.description': 'Take back what you have kept',
  'voice.reset.what': 'What to take back; otherwise all of it',
  'voice.where': 'Where it holds; otherwise in this server',
  'voice.where.here': 'this server',
  'voice.where.everywhere': 'everywhere',
  'voice.style': '“{style}”',
  'voice.number': '{value, number}',
  'voice.unset': 'none of your own',
  'voice.set.kept':
    '{where, select, here {Kept for what you say in this server:} other {Kept for what you say in every server:}}',
  'voice.set.changed': '- {parameter}: {after}. Before: {before}.',
  'voice.set.unchanged': '- {parameter}: {after}, as before.',
  'voice.set.nothing': 'Say what to keep: a voice, a style, a speed or a temperature.',
  'voice.set.shadowed':
    '-# Here, what you have chosen for this server goes first: {parameters}. /voice reset takes that back.',
  'voice.set.overruled': '-# In this server {voice} speaks all the same ({source}).',
  'voice.show.title-direct': 'What you speak with everywhere that you have chosen nothing else:',
  'voice.show.title': 'What you speak with in this server:',
  'voice.show.value': '- {parameter}: {value} ({source})',
  'voice.show.unset': '- {parameter}: as the voice has it',
  'voice.show.gone': '-# The voice that was chosen, {voice}, no longer exists ({source}).',
  'voice.show.hint': '-# Change it with /voice set, take it back with /voice reset. The options of /say go first.',
  'voice.reset.done': '{where, select, here {Taken back for this server:} other {Taken back for every server:}}',
  'voice.reset.value': '- {parameter}: here now {value} ({source}). Before: {before}.',
  'voice.reset.unset': '- {parameter}: here now as the voice has it. Before: {before}.',
  'voice.reset.nothing':
    '{where, select, here {You have kept nothing like that for this server.} other {You have kept nothing like that for every server.}} Look at /voice show.',

  // /credits
  'credits.description': 'Show how many credits are left for speaking',
  'credits.left': '{left, plural, one {# credit} other {# credits}} left.',
  'credits.updated': 'Last change: {when}.',
  'credits.left-local':
    '{left, plural, one {# credit} other {# credits}} left. The voice is local: it runs beside the bot, and its credits cost nothing.',
  'credits.used':
    '- {who, select, here {You, in this server} everywhere {You, everywhere} server {This server} other {All servers together}}: {today, plural, one {# credit} other {# credits}} of {limit, number} used today, {month, number} this month.',
  'credits.cached':
    '-# {month, plural, one {# text} other {# texts}} of this month had been spoken before and cost nothing.',
  'credits.renews': 'Today’s limits renew {when}, at 00:00 UTC.',
  'credits.transaction': '-# For you as the bot’s owner: last transaction {when}: {type} {amount}. {description}',
  'credits.no-transaction': '-# For you as the bot’s owner: the account has had no transaction yet.',

  // To the owner, when the account runs low, or what was paid for is lost
  'account.low': '{left} {remedy} This is said once; again only after credits have come in and are used up.',
  'account.left':
    '{left, plural, =0 {No credits are left} one {Only # credit is left} other {Only # credits are left}} for speaking.',
  'account.ran-out':
    'A text could not be spoken: {left, plural, =0 {no credits are} one {only # credit is} other {only # credits are}} left.',
  'account.remedy': 'Top up the account of the speech service.',
  'account.remedy-url': 'Top up here: {url}',
  'account.remedy-local': 'The voice is local: the README says under “The voice” how to give it more.',
  'account.lost-sounds':
    'The last {lost, plural, other {# texts}} with the model {model} were paid for and could not be played. {why} From now on nothing is paid for with it but a trial at growing intervals. This is said once, and again when it works.',
  'account.sounds-arrive':
    'What is paid for with the model {model} can be played again: new texts are spoken as before.',

  // /settings
  'settings.description': 'Change how the bot behaves in this server',
  'settings.panel.description': 'Open a panel with everything that can be set in this server',
  'settings.read.description': 'Read what is written in a channel, or stop reading it',
  'settings.read.channel': 'The text channel or forum',
  'settings.read.on': 'False stops reading it; otherwise it is read',
  'settings.mute.description': 'Let a member have nothing spoken any more, or again',
  'settings.mute.member': 'The member',
  'settings.mute.on': 'False lets them speak again; otherwise they are muted',
  'settings.mute.itself':
    'That is the bot itself, which speaks only for others. Choose a member, or send the bot away with /leave.',
  'settings.managers-exempt': 'Those who manage the server can still use /say.',
  'settings.limits.description': 'Show or limit the credits that are spent in this server a day',
  'settings.limits.server': 'Credits a day for the whole server, within what the bot’s owner allows',
  'settings.limits.member': 'Credits a day for each member, within what the bot’s owner allows',
  'settings.limits.hint':
    '-# To change them: /settings limits with server or member. To take them back: /settings panel.',
  'settings.language.description': 'Show or choose the language of announcements; replies follow each person’s own',
  'settings.language.language': 'The language from now on; leave it out to see the present one',
  'settings.language.reset': 'Go back to the language the server has in Discord',
  'settings.language.hint':
    '-# To change it: /settings language with a language. To go back to the server’s own in Discord: with reset.',
  'settings.language.both': 'Choose one of the two: a language, or reset to go back to the server’s own in Discord.',
  'settings.changed': '{setting}: now {after}. Before: {before}.',
  'settings.unchanged': 'Nothing is different.',
  'settings.title': '## Settings of this server',
  'settings.page.voices': 'Voices',
  'settings.page.people': 'Who may use it, and where',
  'settings.page.limits': 'Limits and spending',
  'settings.page.reading': 'Reading messages, announcements',
  'settings.page.presence': 'Presence and language',
  'settings.page.words': 'Blocked words',
  'settings.page.data': 'Export, import, reset',
  'settings.value': '**{setting}**: {value}',
  'settings.value-default': '**{setting}**: {value} (the bot’s default)',
  'settings.turn-on': 'Turn on: {setting}',
  'settings.turn-off': 'Turn off: {setting}',
  'settings.choose-default': 'Default voice …',
  'settings.choose-forced': 'Voice instead of members’ own …',
  'settings.choose-manner': 'Style and speed …',
  'settings.choose-voices': 'Allowed voices …',
  'settings.choose-texts': 'Texts and queue …',
  'settings.choose-credits': 'Credits a day …',
  'settings.choose-times': 'When to leave …',
  'settings.choose-words': 'Blocked words …',
  'settings.voice-hint': 'A name as in /voices; leave it empty for none',
  'settings.forced-hint': 'As in /voices; empty: none. Only a voice named in /say goes before it, where it is allowed',
  'settings.voices-hint': 'One a line, as in /voices; leave it empty to allow all',
  'settings.words-hint': 'One a line; * at an end stands for anything',
  'settings.credits-hint': 'Never more than the bot’s owner allows; empty: that limit',
  'settings.seconds-hint': 'Seconds; 0 is at once, empty the bot’s default',
  'settings.range': 'From {min, number} to {max, number}; empty: the bot’s default',
  'settings.bad-number':
    '{setting}: type {whole, select, yes {a whole number} other {a number}} from {min, number} to {max, number}. Nothing was changed.',
  'settings.changed-meanwhile':
    '{setting}: somebody else has changed that meanwhile, so nothing was changed. Open the form again to see it.',
  'settings.too-many': 'That is too many: at most {limit, number}. Nothing was changed.',
  'settings.reading-off':
    '-# Whoever runs this bot has not enabled reading messages (READ_MESSAGES), so nothing is read yet.',
  'settings.reading-unseen':
    '-# The bot does not see {channels}, so nothing is read there. Give it the permission View Channel there.',
  'settings.dictionary-hint': '-# How words are pronounced is set with /dictionary.',
  'settings.data':
    'Export gives you a file with all settings of this server. Import replaces them by those of a file. Reset takes back everything, and gives you a file with what was set.',
  'settings.see-data': '⚠️ Some of what was set could not be read: see the page “{page}”.',
  'settings.unreadable':
    'This version of the bot cannot read what was set here: {settings}. Restrictions among them are at their strictest, the rest is as the bot has it. Choose anew, or wait for a version that can read them.',
  'settings.unreadable-all': 'all settings',
  'settings.set-aside': 'Set aside while it could not be read, and readable now: {settings}.',
  'settings.set-aside-hint':
    'Restore puts back what can be read. Discard deletes all of this for good: what cannot be read then counts as never set, restrictions too.',
  'settings.restore': 'Restore',
  'settings.discard': 'Discard',
  'settings.export': 'Export',
  'settings.exported': 'All settings of this server. Import puts them back.',
  'settings.import': 'Import …',
  'settings.import-file': 'File',
  'settings.import-hint': 'One that Export has made; it replaces all settings',
  'settings.import-not-json': 'That file is no JSON, so nothing was changed. Choose one that Export has made.',
  'settings.import-wrong':
    'That file has a mistake at “{where}”: {problem}. Nothing was changed. Choose one that Export has made.',
  'settings.import-kind': 'something else has to stand there',
  'settings.import-unknown': 'there is no such setting',
  'settings.import-least': 'it has to be at least {limit, number}',
  'settings.import-most': 'it may be at most {limit, number}',
  'settings.import-choice': 'it has to be one of {choices}',
  'settings.reset': 'Reset …',
  'settings.reset-sure': 'Take back all settings of this server? You get a file with what was set.',
  'settings.reset-yes': 'Reset all settings',
  'settings.was-reset': 'All settings are as the bot has them. This file holds what was set: Import puts it back.',
  'upload.none': 'No file was given. Choose one and send the form again.',
  'upload.too-large': 'That file is too large: at most {kilobytes, number} kB. Nothing was changed.',
  'upload.not-text': 'That file is no text, so nothing was changed.',
  'upload.unreachable': 'The file could not be fetched from Discord, so nothing was changed. Try again.',

  // Settings by name
  'setting.defaultVoice': 'Default voice',
  'setting.style': 'Default style',
  'setting.speed': 'Default speed',
  'setting.temperature': 'Default temperature',
  'setting.forcedVoice': 'Voice instead of members’ own',
  'setting.allowedModels': 'Allowed models',
  'setting.allowedVoices': 'Allowed voices',
  'setting.allowedRoles': 'Only these roles',
  'setting.blockedRoles': 'Blocked roles',
  'setting.mutedMembers': 'Muted members',
  'setting.allowedChannels': 'Only these channels',
  'setting.maxCharacters': 'Longest text, in characters',
  'setting.confirmAboveCharacters': 'Ask first above so many characters',
  'setting.queueLimit': 'Texts waiting',
  'setting.memberQueueLimit': 'Texts waiting, of one member',
  'setting.cooldownSeconds': 'Break between two texts, in seconds',
  'setting.creditsPerServer': 'Credits a day, server',
  'setting.creditsPerMember': 'Credits a day, each member',
  'setting.autoReadChannels': 'Channels that are read',
  'setting.autoReadVoiceChat': 'Reading the voice channel’s chat',
  'setting.autoReadNames': 'Who wrote it',
  'setting.autoReadNames.always': 'said every time',
  'setting.autoReadNames.on-change': 'said when somebody else writes',
  'setting.autoReadNames.never': 'never said',
  'setting.autoReadBots': 'Reading bots and webhooks',
  'setting.announceJoins': 'Announcing who joins',
  'setting.announceLeaves': 'Announcing who leaves',
  'setting.aloneSeconds': 'Leave when alone, after seconds',
  'setting.idleSeconds': 'Leave when silent, after seconds',
  'setting.hushed': 'Leaving without a word',
  'setting.resumeTexts': 'Speaking what waited after a restart',
  'setting.language': 'Language of announcements',
  'setting.tags': 'Speech tags',
  'setting.blockedWords': 'Blocked words',
  'setting.blockedWordsMode': 'What becomes of them',
  'setting.blockedWordsMode.refuse': 'the text is refused',
  'setting.blockedWordsMode.bleep': 'they are bleeped',
  'setting.moderationChannel': 'Moderation log',
  'setting.on': 'on',
  'setting.off': 'off',
  'setting.number': '{value, number}',
  'setting.plain': '{value}',
  'setting.words': '{count, plural, one {# word} other {# words}}',
  'setting.more': 'and {count, number} more',
  'setting.owners-limit': '{limit, number} (the most that the bot’s owner allows)',
  'setting.above-owners-limit': '{value, number} (but the bot’s owner allows {limit, number} at most)',
  'setting.unset.none': 'none',
  'setting.unset.nothing': 'none',
  'setting.unset.all': 'all',
  'setting.unset.server': 'the server’s own in Discord',
  'setting.unset.default': 'as the bot has it',

  'settings.voice.description': 'Show or set the voice of those who have chosen none of their own',
  'settings.voice.voice': 'The voice to use from now on; leave it out to see the present one',
  'settings.voice.reset': 'Go back to the bot’s own default voice',
  'settings.voice.now': 'This server’s default voice is {voice}. To change it: /settings voice with another voice.',
  'settings.voice.unset':
    'This server has no default voice of its own, so the bot’s is used: {voice}. To set one: /settings voice with a voice.',
  'settings.voice.gone': 'The voice that was chosen here, {voice}, no longer exists.',
  'settings.voice.changed': 'The default voice of this server is now {after}. Before: {before}.',
  'settings.voice.unchanged': 'The default voice of this server is {voice} already.',
  'settings.voice.before-unset': 'the bot’s own default',
  'settings.voice.was-reset': 'This server uses the bot’s own default voice again, {voice}. Before: {before}.',
  'settings.voice.both': 'Choose one of the two: a voice to set, or reset to go back to the bot’s default.',

  // /stop, /leave, /help
  'stop.description': 'Stop speaking and empty the queue',
  'stop.stopped':
    '{waiting, plural, =0 {Stopped.} one {Stopped, and dropped one text that was waiting.} other {Stopped, and dropped # texts that were waiting.}}',
  'stop.own': '{count, plural, one {One text was ended.} other {# texts were ended.}} The others go on.',
  'stop.nothing': 'Nothing is being spoken at the moment.',
  'skip.description': 'Skip what is being spoken, or a text that waits',
  'skip.position': 'Its number in /queue; otherwise what is being spoken now',
  'skip.skipped': 'Skipped: “{text}”',
  'skip.skipped-unseen': 'Skipped a text of {member}.',
  'skip.no-such': 'Nothing waits at position {position, number}. Look at /queue.',
  'skip.not-yours': 'That is {member}’s text. Only they, and those who may move or mute members, can do that.',
  'pause.description': 'Pause what is being spoken; /resume goes on',
  'pause.paused': 'Paused. /resume goes on where it stopped.',
  'pause.already': 'It is paused already. /resume goes on.',
  'resume.description': 'Go on after /pause',
  'resume.resumed': 'Going on.',
  'resume.nothing': 'Nothing is paused.',
  'queue.description': 'Show what is being spoken and what waits',
  'queue.empty': 'Nothing is being spoken, and nothing waits. Use /say to have something spoken.',
  'queue.now': 'Now: {member}: {words}',
  'queue.paused': 'Paused: {member}: {words}',
  'queue.nothing-waits': 'Nothing else waits.',
  'queue.waiting': '{position, number}. {member}: {words}',
  'queue.waiting-for': '{position, number}. {member}: {words} (in about {wait})',
  'queue.words': '“{text}”',
  'queue.unseen': 'in a voice channel that you cannot see',
  'page.of': '-# Page {page, number} of {pages, number}',
  'page.previous': 'Previous page',
  'page.next': 'Next page',
  'page.refresh': 'Refresh',
  'replay.description': 'Speak again what was spoken last; that costs nothing',
  'replay.speaking': '-# Speaking again in {channel}: “{text}”',
  'replay.spoken': 'Spoken again in {channel}: “{text}”',
  'replay.stopped': 'Stopped before the end, in {channel}: “{text}”',
  'credits.none-used': '-# No credits used.',
  'join.description': 'Bring the bot into a voice channel',
  'join.channel': 'The channel to join; otherwise yours',
  'join.joined': 'Joined {channel}.',
  'join.already': 'The bot is in {channel} already.',
  'leave.description': 'Leave the voice channel and empty the queue',
  'leave.left': 'Left {channel}.',
  'leave.not-yours':
    '{member} still has something to say there. Send the bot away once that has been spoken. Those who may move or mute members can do it at once.',
  'leave.absent': 'The bot is in no voice channel of this server.',
  // /about
  'about.description': 'Show which bot this is and what speaks',
  'about.crier': 'Crier {version}, a bot that speaks texts in voice channels.',
  'about.voice-local': 'Its voice is local: it runs beside the bot and costs nothing.',
  'about.voice-service': 'Its voice comes from a speech service; /credits shows what is left.',
  'about.ping': 'Discord answers it in {ping, number} ms.',
  'about.hint': '-# /help shows what it can do, /privacy what it keeps.',

  'help.description': 'Show what the bot can do',
  'help.command-option': 'The command to explain, with its options',
  'help.title-direct': 'Type /say: the bot answers with a voice message or an audio file.',
  'help.title': 'Join a voice channel and type /say: the bot joins you and speaks.',
  'help.command': '**/{name}**: {description}',
  'help.message-command': '**{name}** (in the Apps menu of a message): {description}',
  'help.more': '-# [In brackets] is what may be left out. /help with the name of a command explains its options.',
  'help.for-managers': '-# For those who manage the server, and for those whom they gave the command.',
  'help.option': '- {name}{required, select, yes {} other { (may be left out)}}: {description}',

  // Refusals: who, where, when
  'refused.not-in-voice': 'You are in no voice channel. Join one, then use /{command} again.',
  'refused.not-in-voice-again': 'You are in no voice channel. Join one, then try again.',
  'refused.server-only': 'This works only in a server, not in direct messages.',
  'refused.direct-off':
    'Whoever runs this bot has not enabled it for direct messages and other servers. Use it in a server that it is in.',
  'refused.not-permitted': 'This is for those who manage the server.',
  'refused.not-given':
    'This is for those who manage the server, and for those whom they gave the command. If you are one of them, use /{command}.',
  'refused.over-item': 'This is over: it was spoken or skipped already.',
  'refused.you-lack': 'You lack {permissions} in {channel}, so you cannot send the bot there.',
  'refused.over': 'This is over: the message is from an earlier time. Use the command again.',
  'refused.member-muted': 'Those who manage this server have muted you for the bot.',
  'refused.blocked-role': 'Those who manage this server do not let {role} have texts spoken.',
  'refused.role-needed': 'In this server the bot speaks only for those with one of these roles: {roles}.',
  'refused.channel-needed': 'In this server the bot is used only in {channels}.',
  'refused.not-spoken-there': 'In this server the bot does not speak in {channel}, only in {channels}.',
  'refused.server-cooldown':
    'In this server there is a break between two texts. Try again in {seconds, plural, one {# second} other {# seconds}}.',
  'refused.voice-not-allowed': 'In this server {voice} may not be used. Look at /voices for those that may.',
  'refused.cooldown': 'That was quick. Use /{command} again in {seconds, plural, one {# second} other {# seconds}}.',
  'refused.cooldown-again': 'That was quick. Try again in {seconds, plural, one {# second} other {# seconds}}.',
  'refused.missing-permissions':
    'The bot may not speak in {channel}: it lacks {permissions}. Ask someone who manages the server to allow that for the bot in that channel.',
  'refused.channel-full':
    '{channel} is full ({limit, plural, one {# person} other {# people}}). Make room or raise its user limit, then try again.',
  'refused.stage':
    'In the stage {channel} the bot cannot go on stage: it lacks Mute Members, and Request to Speak as well. Ask for one of these permissions, or use a voice channel.',
  'stage.not-invited':
    'The bot asked to speak in {channel}, but nobody invited it. Try again, and have a moderator of the stage invite the bot within a minute.',
  'refused.busy-elsewhere':
    'The bot is in {channel} with others at the moment. Join them there, or wait until it has left.',
  'refused.nobody-there':
    'Nobody is in {channel} to hear it. Join it yourself, or choose a channel with somebody in it.',
  'refused.other-channel': 'The bot is in {channel}. Join it there to use /{command}.',
  'refused.queue-full':
    '{limit, plural, one {# text is} other {# texts are}} already waiting here, which is the most. Try again when some have been spoken.',
  'refused.own-queue-full':
    '{limit, plural, one {# text of yours is} other {# texts of yours are}} already waiting, which is the most for one person. Try again when some have been spoken.',
  'refused.duplicate': 'That text is already in the queue. Ask for it again once it has been spoken.',
  'refused.afk':
    '{channel} is this server’s AFK channel, where nobody can be heard. Join another voice channel, then try again.',
  'refused.muted':
    'A moderator has muted the bot in this server, so nobody would hear it. Ask a moderator to unmute it: right-click the bot, Server Mute.',
  'refused.timed-out':
    'A moderator has given the bot a timeout in this server until {until}. Ask a moderator to end it, or try again after that.',
  'replay.gone':
    'What was spoken is kept only for a few minutes, and this is there no more. Use /say to speak it anew.',
  'refused.spending':
    '{limit} This text would take about {about, plural, one {# credit} other {# credits}}. The limit renews {when}, at 00:00 UTC. {advice}',
  'refused.spending.member-here':
    'You can use {limit, plural, one {# credit} other {# credits}} a day in this server, and {left, plural, =0 {none is} one {# is} other {# are}} left for today.',
  'refused.spending.member':
    'You can use {limit, plural, one {# credit} other {# credits}} a day, all servers together, and {left, plural, =0 {none is} one {# is} other {# are}} left for today.',
  'refused.spending.server':
    'This server can use {limit, plural, one {# credit} other {# credits}} a day, and {left, plural, =0 {none is} one {# is} other {# are}} left for today.',
  'refused.spending.total':
    'This bot can use {limit, plural, one {# credit} other {# credits}} a day for all its servers together, and {left, plural, =0 {none is} one {# is} other {# are}} left for today.',
  'refused.spending.others':
    'What one member can use in a day is not enough for it any more. The limit renews {when}, at 00:00 UTC. {advice}',
  'refused.spending.ask-admin':
    '{left, plural, =0 {} other {Until then, try a shorter text. }}Someone who manages this server can raise it.',
  'refused.spending.ask-owner':
    '{left, plural, =0 {} other {Until then, try a shorter text. }}Whoever runs this bot can raise it.',
  'refused.lost-sounds':
    'The last texts with this voice’s model were paid for and could not be played, so no new ones are paid for. The next trial is possible {when}; until then choose a voice of another model. Whoever runs this bot has been told.',
  'refused.unknown-voice':
    'There is no voice “{voice}”. Type part of a name into the voice option and pick one from the list, or look at /voices.',
  'refused.unknown-voice-did-you-mean':
    'There is no voice “{voice}”. Did you mean {suggestions}? Pick one from the list while you type, or look at /voices.',
  'refused.ambiguous-voice':
    'Several voices are called “{voice}”: {candidates}. Pick one from the list that opens while you type.',
  'refused.out-of-range': 'The option {option} goes from {min, number} to {max, number}. Choose a number in between.',
  'refused.not-a-number': 'The option {option} takes a number.',
  'refused.not-an-integer': 'The option {option} takes a whole number.',
  'refused.format': '{voice} makes only {formats}. Leave out the option format, or choose another voice.',
  'refused.no-voices':
    'The speech service offers no voices at the moment. Whoever runs this bot should look at its account.',
  'refused.server-not-allowed':
    'Whoever runs this bot has chosen the servers it works in, and this one is not among them. Ask them to add its id, {id}, to ALLOWED_SERVERS.',
  'servers.leaving':
    'Whoever runs this bot has chosen the servers it works in, and this one is not among them, so it leaves now. Ask them to add this server’s id, {id}, to ALLOWED_SERVERS, and then invite it again.',
  'refused.unknown-command': 'This command is out of date. Restart Discord to get the new list, or look at /help.',
  'refused.stopping': 'The bot is being restarted. Try again in a minute.',
  'refused.session-ended':
    'Discord has ended the bot’s connection. Tell the person who runs it: its log says what to do.',

  // Permissions as Discord's own settings name them
  'permission.ViewChannel': 'View Channel',
  'permission.Connect': 'Connect',
  'permission.Speak': 'Speak',
  'permission.MuteMembers': 'Mute Members',

  // Failures of the speech interface, one for each kind
  'speech.invalid-request':
    'The speech service did not accept this request. Change the text or the voice, and try again.',
  'speech.input-too-long': 'The text is too long for this voice. Shorten it, or split it into several /say.',
  'speech.unsupported-format': 'This voice cannot make that audio format. Choose another voice.',
  'speech.voice-not-found': 'The speech service no longer knows this voice. Choose another one: the list is fresh now.',
  'speech.invalid-api-key':
    'The speech service does not accept the bot’s key. Whoever runs this bot has to put a valid VOICE_API_KEY into its settings.',
  'speech.insufficient-credits':
    'No credits are left for this. Whoever runs this bot has to top up the account of the speech service.',
  'speech.insufficient-credits-url':
    'No credits are left for this. Whoever runs this bot can top up the account of the speech service at {url}',
  'speech.insufficient-credits-local':
    'The local voice has used up its credits. Whoever runs this bot can give it more, as its README says.',
  'speech.content-policy':
    'The speech service refuses to speak this text because of its content rules. Word it differently.',
  'speech.rate-limited':
    'Too many texts at once. Try again in {seconds, plural, =0 {a moment} one {# second} other {# seconds}}.',
  'speech.quota-exceeded':
    'This kind of voice has used up its quota at the provider for now. It will be tried again {when}; until then, choose a voice of another model.',
  'speech.unavailable': 'The speech service is out of order at the moment. Try again in a few minutes.',
  'speech.server-error': 'The speech service failed. Try again; if it keeps failing, tell whoever runs this bot.',
  'speech.bad-response':
    'The speech service gave an answer that makes no sense. Tell whoever runs this bot: its VOICE_API_URL may be wrong.',
  'speech.network':
    'The speech service cannot be reached. Try again in a minute; if that does not help, tell whoever runs this bot.',
  'speech.timeout': 'The speech service took too long. Try again, perhaps with a shorter text.',
  'speech.aborted': 'This was stopped before it was spoken.',
  'speech.not-accepted':
    'The speech service did not accept this request. Try again; if that does not help, tell whoever runs this bot.',
  'speech.asked-too-often':
    'The speech service is being asked too often. Try again in {seconds, plural, =0 {a moment} one {# second} other {# seconds}}.',
  'speech.no-answer-in-time': 'The speech service took too long to answer. Try again in a minute.',
  'speech.question-stopped': 'This was stopped before the speech service answered. Try again in a minute.',

  // What is heard in place of what cannot be read out
  'readable.somebody': 'somebody',
  'readable.some-channel': 'a channel',
  'readable.some-role': 'a role',
  'readable.everyone': 'everyone',
  'readable.here': 'everyone here',
  'readable.command': 'the command {name}',
  'readable.server-page': 'a page of this server',
  'readable.some-date': 'a date',
  'readable.link': 'link to {host}',
  'readable.some-link': 'a link',
  'readable.message-link': 'link to a message',
  'readable.masked-link': '{words}, link',
  'readable.gif': 'a GIF',
  'readable.code-block': 'code block',
  'readable.spoiler': 'spoiler',
  'readable.quote': 'quote:',
  'readable.reply': 'replying to {name}',
  'readable.emoji': 'emoji',
  'readable.emoji-times': '{emoji}, {count, plural, one {once} other {# times}}',
  'readable.more-emoji': '{count, plural, one {one more emoji} other {# more emoji}}',
  'readable.sticker': 'the sticker {name}',
  'readable.voice-messages': '{count, plural, one {a voice message} other {# voice messages}}',
  'readable.images': '{count, plural, one {an image} other {# images}}',
  'readable.videos': '{count, plural, one {a video} other {# videos}}',
  'readable.sounds': '{count, plural, one {a sound file} other {# sound files}}',
  'readable.files': '{count, plural, one {a file} other {# files}}',
  'readable.hidden-files': '{count, plural, one {a hidden attachment} other {# hidden attachments}}',
  // What is heard of messages that are read, and of people's coming and going
  'reading.says': '{name} says: {words}',
  'reading.replies': '{name}, {words}',
  'reading.sent': '{name} sent {words}',
  'reading.more': '… and more',
  'reading.joined': '{names} joined',
  'reading.left': '{names} left',
  'reading.many-joined': '{count, plural, one {one person} other {# people}} joined',
  'reading.many-left': '{count, plural, one {one person} other {# people}} left',
  'reading.trouble': '-# A message of {member} was not read out. {why}',

  // /opt-out
  'opt-out.description': 'Have nothing of yours read out: no messages, no coming and going, in no server',
  'opt-out.back': 'Let it be read out again',
  'opt-out.done':
    'From now on nothing that you write is read out by itself, and nobody is told that you come or go, in any server. What you give to /say is still spoken. To take that back: /opt-out with back.',
  'opt-out.already':
    'You have opted out already: nothing that you write is read out by itself. To take that back: /opt-out with back.',
  'opt-out.taken-back':
    'What you write may be read out again, and your coming and going announced, where a server’s admins have chosen that.',
  'opt-out.never': 'You have not opted out: what you write may be read out where a server’s admins have chosen that.',

  'blocked.bleep': 'beep',

  // Reading a pronunciation dictionary from a file
  'dictionary.in-line': 'Line {number, number}: {problem}',
  'dictionary.in-entry': 'Entry {number, number}: {problem}',
  'dictionary.file-too-large': 'That file is too large to be a dictionary.',
  'dictionary.no-entries': 'There are no entries in that file. Export the dictionary to see how one looks.',
  'dictionary.broken-json': 'The JSON in that file is broken near line {line, number}. Repair it and try again.',
  'dictionary.no-tab':
    'There is no tab between what is written and what is spoken. Put one there, or export the dictionary to see how a line looks.',
  'dictionary.columns': 'After what is spoken come “whole” or “part”, then “case” or nothing.',
  'dictionary.from-missing': 'What is written is missing.',
  'dictionary.from-too-long':
    'What is written has {length, number} characters, and at most {limit, number} are possible.',
  'dictionary.to-missing': 'What is spoken instead is missing.',
  'dictionary.to-too-long':
    'What is spoken instead has {length, number} characters, and at most {limit, number} are possible.',
  'dictionary.not-an-entry': 'This is no entry. Export the dictionary to see how one looks.',
  'dictionary.twice': '“{from}” is there already, as number {first, number}.',
  'dictionary.too-many': '{count, number} entries are too many: a server can have {limit, number}.',
  'dictionary.more-problems': '… and {count, plural, one {one more problem} other {# more problems}}.',

  // /dictionary
  'dictionary.description': 'Choose how words are pronounced in this server',
  'dictionary.add.description': 'Add a word and how it is to be spoken, or change it',
  'dictionary.remove.description': 'Take a word out of the dictionary',
  'dictionary.remove.word': 'Type the word as it is written, and pick it',
  'dictionary.list.description': 'Show all words, to change them or take them out',
  'dictionary.test.description': 'Hear a text as the dictionary has it; outside voice channels it is shown',
  'dictionary.test.text': 'The text to try',
  'dictionary.import.description': 'Take words from a file, such as one that /dictionary export has made',
  'dictionary.import.file': 'JSON, or lines of: written, a tab, spoken',
  'dictionary.import.how': 'What becomes of the words that are there; otherwise they stay',
  'dictionary.import.merge': 'keep them, and add those of the file',
  'dictionary.import.replace': 'only those of the file are left',
  'dictionary.export.description': 'Get all words as a file',
  'dictionary.export.format': 'The kind of file; otherwise JSON',
  'dictionary.export.tsv': 'table (tab-separated)',
  'dictionary.form-add': 'Add a word',
  'dictionary.form-edit': 'Change a word',
  'dictionary.form-from': 'Written',
  'dictionary.form-to': 'Spoken',
  'dictionary.form-to-hint': 'Leave it empty, and the word is not spoken at all',
  'dictionary.form-where': 'Where it counts',
  'dictionary.form-whole': 'Only as a whole word',
  'dictionary.form-part': 'Inside other words, too',
  'dictionary.form-case': 'Upper and lower case',
  'dictionary.form-any-case': 'Make no difference',
  'dictionary.form-exact-case': 'Have to be the same',
  'dictionary.entry':
    '“{from}” is {to}{part, select, yes {, inside other words, too} other {}}{exact, select, yes {, only in this case} other {}}',
  'dictionary.as': 'spoken as “{to}”',
  'dictionary.as-nothing': 'not spoken at all',
  'dictionary.added': 'Now: {after}. Before: as it is written.',
  'dictionary.changed': 'Now: {after}. Before: {before}.',
  'dictionary.unchanged': 'It is so already: {after}.',
  'dictionary.removed': 'Taken out: {before}. It is spoken as it is written again.',
  'dictionary.no-such': 'The dictionary has no “{word}”. Look at /dictionary list.',
  'dictionary.gone': 'That word was changed or taken out meanwhile, so nothing was changed. Look at /dictionary list.',
  'dictionary.exists': 'There is another entry for “{from}” already, so nothing was changed. Change that one instead.',
  'dictionary.full':
    'The dictionary is full: a server can have {limit, number} words. Take some out with /dictionary list.',
  'dictionary.title': '## Pronunciation in this server',
  'dictionary.count': '{count, plural, one {# word} other {# words}}',
  'dictionary.empty': 'There are no words yet. /dictionary add takes the first one.',
  'dictionary.line': '- {entry}',
  'dictionary.option': '{from} → {to}',
  'dictionary.nothing': '(nothing)',
  'dictionary.pick-edit': 'Change a word …',
  'dictionary.pick-remove': 'Take words out …',
  'dictionary.add-button': 'Add a word …',
  'dictionary.reads': 'It is read as: “{text}”',
  'dictionary.reads-hint': '-# Join a voice channel, and /dictionary test speaks it there.',
  'dictionary.imported':
    'Imported: {added, number} added, {changed, number} changed, {removed, number} taken out. Now {after, plural, one {# word} other {# words}}; before {before, plural, one {# word} other {# words}}.',
  'dictionary.imported-before': '-# The attached file holds the dictionary as it was before.',
  'dictionary.import-wrong': 'There are mistakes in that file, so nothing was changed:',
  'dictionary.exported':
    'The dictionary as a file: {count, plural, one {# word} other {# words}}. /dictionary import takes it back.',

  // The moderation log
  'moderation.line':
    '{when} {member}: {kind}, {characters, plural, one {# character} other {# characters}}{voice}{where}: {outcome}{credits}',
  'moderation.kind.command': 'command',
  'moderation.kind.message': 'message',
  'moderation.kind.auto-read': 'read from chat',
  'moderation.kind.file': 'file',
  'moderation.kind.voice-message': 'voice message',
  'moderation.kind.replay': 'spoken again',
  'moderation.outcome.spoken': 'spoken',
  'moderation.outcome.stopped': 'stopped before the end',
  'moderation.outcome.saved': 'saved',
  'moderation.outcome.blocked': 'refused for a blocked word',
  'moderation.outcome.failed': 'not spoken to the end',
  'moderation.voice': ', {name} ({model})',
  'moderation.where': ', in {channel}',
  'moderation.credits': ', {credits, plural, =0 {no credits} one {# credit} other {# credits}}',
  'moderation.left-out': '-# … and {count, plural, one {one more} other {# more}}.',
  'moderation.no-channel':
    'The channel {channel} of the moderation log is there no more, or the bot cannot see it. Choose another one with /settings panel.',
  'moderation.not-allowed':
    'The bot may not write the moderation log: it lacks View Channel or Send Messages in {channel}. Allow that, or choose another channel with /settings panel.',

  // Blocked words
  'blocked.refused': 'This was not spoken: the server blocks “{rule}”. Say it in other words.',
  'blocked.tangled':
    'This was not spoken: too many of its signs could be letters to look for blocked words in it. Write it in plain letters.',
  'blocked.empty': 'A blocked word needs a letter or a sign besides the stars at its ends.',
  'blocked.too-long':
    'A blocked word has at most {limit, number} characters, and that one has {length, number}. Shorten it.',
  'blocked.too-short':
    'With a star, a blocked word needs at least {least, number} letters: fewer are in almost every text. Leave out the star, or add letters.',

  // Failures of joining and playing
  'join.failed':
    'The bot could not join {channel}: Discord did not let it in. Try again; if it keeps failing, check its permissions there.',
  'join.busy': 'The bot could not join {channel}: Crier is joining many channels at the moment. Try again in a minute.',
  'join.no-answer':
    'The bot could not join {channel}: Discord’s voice server did not answer in time. Try again in a minute.',
  'join.no-udp':
    'The bot could not join {channel}: nothing comes back over UDP. The firewall or network of the machine that runs this bot lets no UDP out; tell whoever runs it.',
  'join.given-up':
    'The bot gave up joining {channel}: it was told to leave or to go elsewhere. Use /join to have it try again.',
  'join.encryption':
    'The bot could not agree with Discord on how to encrypt the call in {channel}. Tell whoever runs this bot: npm run doctor shows why.',
  'audio.refused':
    'The audio is at an address the bot may not fetch from. Whoever runs this bot should look at its log and at AUDIO_HOSTS.',
  'audio.unreachable': 'The audio was made but could not be fetched. Try again in a minute.',
  'audio.unplayable': 'The audio was made but cannot be played. Try another voice, and tell whoever runs this bot.',
  'audio.too-large': 'The audio is longer than the bot plays at once. Use a shorter text.',
  'audio.endless':
    'The voice did not stop: the sound was far longer than the text and was cut off. Try another voice or other words.',
  'play.kicked': 'The bot was disconnected from {channel}, so this was not spoken to the end.',
  'play.channel-gone': 'The voice channel was deleted, so this was not spoken to the end.',
  'play.connection-lost': 'The connection to the voice channel was lost, so this was not spoken to the end. Try again.',
  'play.unheard':
    'Discord did not let the bot into the end-to-end encryption of the call in {channel}, also after it joined again, so nothing of this was heard. Try again in a minute.',
  'play.encryption-lost':
    'The bot lost the end-to-end encryption of the call in {channel} and did not get it back, so this was not heard to the end. Try again in a minute.',
  'play.nobody-listening': 'Everybody left {channel}, so this was not spoken to the end.',
  'play.stopped': 'This was taken out of the queue before it was spoken.',
  'play.paused-too-long': 'Speech was paused for so long that the bot has left, so this was not spoken to the end.',
  'play.held-back':
    'Discord does not let the bot be heard in {channel}: it came there without the permission to speak, so it has left. If it has Speak now, use /say again: it joins anew.',
  'play.put-into-audience':
    'A moderator put the bot into the audience of {channel}, so this was not spoken to the end. Use /say again, and it asks to speak.',
  'play.server-left': 'The bot was removed from the server.',

  // After a restart
  'resumed.later': 'The bot is being restarted. This is spoken once it is back, if somebody is still listening.',
  'resumed.once-mended':
    'Discord has ended the bot’s connection. Tell the person who runs it: its log says what to do. This is spoken if the bot is back within ten minutes.',
  'resumed.spoken': 'Spoken in {channel}. The bot was restarted right after.',
  'resumed.failed': 'This was not spoken to the end, and the bot was restarted right after.',
  'resumed.not-spoken': 'The bot was restarted, so this was not spoken to the end.',
  'resumed.too-late': 'The bot was away for too long, so this was not spoken to the end.',
  'resumed.nobody':
    'The bot was restarted. Nobody is listening in {channel} any more, so this was not spoken to the end.',
  'resumed.maybe-billed':
    'The bot was restarted while this was being made. Credits may have been used for it, so it is not made again unless you say so.',
  'resumed.notice': '{member}: {what}',
  'resumed.messages':
    '-# The bot was restarted: {count, plural, one {# message was} other {# messages were}} not read out.',

  // Why the bot left a channel, told where it was last used from
  'left.nobody-listening': 'Left {channel}: nobody was listening. Use /say or /join to bring the bot back.',
  'left.idle': 'Left {channel}: nothing was said for a while. Use /say or /join to bring the bot back.',
  'left.paused-too-long': 'Left {channel}: speech was paused for too long. Use /say to go on.',
  'left.kicked': 'Left {channel}: somebody disconnected the bot. Use /say or /join to bring it back.',
  'left.channel-gone': 'Left the voice channel: it was deleted. Join another one and use /say there.',
  'left.connection-lost': 'Left {channel}: the connection was lost. Use /say or /join to bring the bot back.',
  'left.not-allowed': 'Left {channel}. {why}',

  // What is kept; /privacy and /forget are made from these
  'kept.own-settings':
    '**Your voice**: voice, style, speed and temperature that you chose with /voice, by your user id, in the bot’s database until you take them back.',
  'kept.own-settings.now': 'your own voice settings, in {places, plural, one {# place} other {# places}}',
  'kept.use':
    '**Your use**: how many credits you used and how many texts came for nothing, by day, server and user id, in the bot’s database until the end of the next month. It is what limits are counted by.',
  'kept.use.now': 'counted use: {credits, plural, one {# credit} other {# credits}} this month and the last',
  'kept.use.today': 'counted use of today: {credits, plural, one {# credit} other {# credits}}, until 00:00 UTC',
  'kept.use.before': 'counted use of earlier days: {credits, plural, one {# credit} other {# credits}}',
  'kept.queue':
    '**What you say**: the text and its sound, in memory while it waits and up to 15 minutes after, so that it can be spoken again or a button still works. Until it was spoken, and for ten minutes at most, the text is also on disk, encrypted, with where you asked for it: so a restart of the bot does not lose it.',
  'kept.queue.now':
    'what you say: {waiting, plural, one {# text that waits} other {# texts that wait}}, {spoken, plural, one {# that was spoken} other {# that were spoken}} lately{offered, plural, =0 {} one {, # kept for a button} other {, # kept for buttons}}',
  'kept.opt-out':
    '**Your opt-out**: by your user id, that you used /opt-out and when, in the bot’s database until you take it back.',
  'kept.opt-out.now': 'that you have opted out of being read out',
  'kept.sound':
    '**Sound**: what was spoken, without its text and without who said it, under a code that nobody can read back, until it expires. So the same text is paid for once.',
  'kept.moderation-log':
    '**Moderation log**: only where admins chose a channel for it. There it says who had a text spoken, when, of what kind and length, with which voice, in which channel, how it went and for how many credits, until somebody deletes it there. Never the text.',
  'kept.server-settings':
    '**Server settings**: what admins chose with /settings, with the ids of roles, channels and muted members, until they reset it.',
  'kept.server-settings.now': 'settings of this server: {count, number}',
  'kept.dictionary':
    '**Dictionary**: how words are pronounced in a server, as its admins wrote it, until they delete it.',
  'kept.dictionary.now': 'dictionary of this server: {entries, plural, one {# entry} other {# entries}}',
  'kept.notices':
    '**Notices**: by server id, that the bot has introduced itself or told of a lost voice, and when it left. All of a server goes 30 days after the bot has left it.',
  'kept.bot':
    '**About the bot**: where its commands are registered, what credits are left, what a model costs, and how loud a voice is. About people only which language its owners use, in memory.',

  // /privacy
  'privacy.description': 'What the bot keeps about you, where, and for how long',
  'privacy.title': '**What this bot keeps.** Nothing of what people say is stored, apart from what is named here.',
  'privacy.entry': '- {holds}',
  'privacy.yours': '  - Now: {what}.',
  'privacy.nothing': '  - Now: nothing.',
  'privacy.unknown': '  - Now: not known, because the bot’s memory does not answer.',
  'privacy.log':
    'Whoever runs the bot has a log: commands, times, ids of servers and channels, and errors. Never what was said. To make sound of it, a text is sent to the speech service.',
  'privacy.forget': '/forget deletes what is kept about you.',
  'privacy.forget-server': 'You manage this server: /forget with server deletes what is kept about it.',

  // /forget
  'forget.description': 'Delete what the bot keeps about you',
  'forget.server': 'What it keeps about this server instead; for those who manage it',
  'forget.ask': 'This would be deleted, in all servers, and cannot be brought back:',
  'forget.ask-server': 'This would be deleted for everybody in this server, and cannot be brought back:',
  'forget.line': '- {what}',
  'forget.wish': '- only if you say so, too: {what}',
  'forget.yes': 'Delete it',
  'forget.yes-wishes': 'Delete it, my wishes too',
  'forget.nothing': 'Nothing is kept about you.',
  'forget.nothing-here': 'Nothing is kept about this server.',
  'forget.deleted': 'Deleted:',
  'forget.today-asked':
    'Today’s use ({credits, plural, one {# credit} other {# credits}}) would go when the day is over, at 00:00 UTC: today’s limits are counted by it.',
  'forget.today':
    'Today’s use ({credits, plural, one {# credit} other {# credits}}) goes when the day is over, at 00:00 UTC: today’s limits are counted by it.',
  'forget.left': 'This could not be deleted, because the bot’s memory does not answer. Try again in a minute:',

  // The message in a server that is new, and /setup
  'welcome.hello': '**Hello! I speak in voice channels what you write.**',
  'welcome.members':
    'Join a voice channel and write /say with a text. /help shows everything else, /privacy what is kept.',
  'welcome.admins': 'For those who manage this server: three short steps, each of which can be skipped.',
  'welcome.begin': 'Set up',
  'setup.description': 'Set up the bot in three steps: voice, who and where, limits',
  'setup.voice': '**Step 1 of 3: the voice.** Who speaks, unless a member chooses another voice?',
  'setup.voice.now': 'Now: {voice}.',
  'setup.voice.more':
    '-# There are {count, number} voices in all: /voices shows and plays them, /settings voice takes any.',
  'setup.people':
    '**Step 2 of 3: who and where.** Choose the roles that may have texts spoken, and the channels for it. With nothing chosen: everybody, everywhere.',
  'setup.people.roles': 'Only these roles',
  'setup.people.channels': 'Only these channels',
  'setup.limits': '**Step 3 of 3: limits.** Credits are counted by the day; whoever runs the bot has limits as well.',
  'setup.limits.credits': 'Change credits a day',
  'setup.limits.texts': 'Change texts and queue',
  'setup.summary': '**Done.** This is what you chose for this server:',
  'setup.summary.nothing': '- Nothing: everything is as the bot has it.',
  'setup.summary.more':
    'Everything else: /settings panel. What members can do: /help. To go through this again: /setup.',
  'setup.value': '- {setting}: {value}',
  'setup.next': 'Next step',
  'setup.skip': 'Skip this step',
  'setup.back': 'Back',
  'setup.finish': 'Finish',

  // Told once to admins
  'vanished.told':
    'The voice that was chosen for this server, {voice}, no longer exists. Until another one is chosen, the bot’s own default speaks. For those who manage this server: /settings voice chooses another one.',

  // /owner, for the bot's operator
  'owner.description': 'For whoever runs the bot',
  'owner.no-server': 'The bot is in no server “{server}”. Pick one of the suggestions.',
  'owner.status.description': 'How the bot is',
  'owner.status.title': '**Crier {version}**, started {since}.',
  'owner.status.draining': 'It is being stopped: nothing new is spoken.',
  'owner.status.discord':
    '- Discord: {ready, number} of {shards, plural, one {# shard} other {# shards}} up, {servers, plural, one {# server} other {# servers}}, {ping} ms.',
  'owner.status.speakers':
    '- In {joined, plural, one {# voice channel} other {# voice channels}}, speaking in {speaking, number}.',
  'owner.status.queues':
    '- {waiting, plural, one {# text waits} other {# texts wait}}, at most {longest, number} in one server.',
  'owner.status.nothing-spoken': '- Nothing was spoken since the start.',
  'owner.status.first-sound': '- Until the first sound, in ms (half of them, 95 %, 99 %; of few texts the longest):',
  'owner.status.percentiles':
    '  - {kind}: {p50, number}, {p95, number}, {p99, number} ({count, plural, one {# text} other {# texts}})',
  'owner.status.longest': '  - {kind}: at most {longest, number} ({count, plural, one {# text} other {# texts}})',
  'owner.status.kind.queued': 'waiting for its turn first',
  'owner.status.kind.cold': 'joining first',
  'owner.status.kind.joined': 'in the channel already',
  'owner.status.kind.cached': 'spoken before',
  'owner.status.kind.part': 'later parts of a text',
  'owner.status.cache':
    '- Spoken before: {memory, number} from memory, {disk, number} from disk, {misses, number} made; {megabytes, number} MB in memory.',
  'owner.status.no-circuits': '- Quotas: none is used up.',
  'owner.status.circuits': '- Quotas: used up for {models}; these are not asked for now.',
  'owner.status.lost-audio':
    '- **Paid audio does not arrive** from {models}: nothing is paid for there but a trial at growing intervals. The log says more.',
  'owner.status.check.discord': 'connection to Discord',
  'owner.status.check.commands': 'commands',
  'owner.status.check.store': 'memory',
  'owner.status.check.speech': 'speech service',
  'owner.status.ok': '- {name}: ok',
  'owner.status.trouble': '- **{name}: not in order** (`{state}`). The log says more.',
  'owner.spending.description': 'Credits by server, today and this month',
  'owner.spending.total':
    'All servers together: {today, plural, one {# credit} other {# credits}} of {limit, number} used today, {month, number} this month. The day’s limits renew {when}.',
  'owner.spending.unknown':
    'Of today’s, about {credits, plural, one {# credit} other {# credits}} for {requests, plural, one {# request} other {# requests}} whose answer was lost: it is not known whether the service billed for that.',
  'owner.spending.none': 'No server has used any this month.',
  'owner.spending.line': '{rank, number}. {server} (`{id}`): {today, number} today, {month, number} this month',
  'owner.spending.left': 'a server the bot has left',
  'owner.spending.outside':
    'Direct messages, and servers whose figures were deleted: {today, number} today, {month, number} this month',
  'owner.reload.description': 'Ask the speech service for its voices again',
  'owner.reload.done':
    '{voices, plural, one {# voice} other {# voices}} and {models, plural, one {# model} other {# models}} are there.',
  'owner.reload.failed': 'The speech service does not answer. The list from {since} stays; the log says more.',
  'owner.leave.description': 'Have the bot leave a server',
  'owner.leave.server': 'Type its name or id, and pick it',
  'owner.leave.ask':
    'Leave {server}, with {members, plural, one {# member} other {# members}}? What is kept of it is deleted after 30 days, unless the bot is invited again.',
  'owner.leave.yes': 'Leave it',
  'owner.leave.done': 'The bot has left {server}.',
  'owner.message.description': 'Write to the admins of a server, or of all',
  'owner.message.server': 'Type its name or id, and pick it; otherwise all servers',
  'owner.message.title': 'A message to admins',
  'owner.message.words': 'What to tell them',
  'owner.message.to-one': 'To {server}, where the bot may write',
  'owner.message.to-all': 'To every server, where the bot may write',
  'owner.message.empty': 'Nothing was written, or more than 1,500 characters. Use the command again.',
  'owner.message.ask': 'This goes to {servers, plural, one {# server} other {# servers}}:',
  'owner.message.shown': '>>> {words}',
  'owner.message.yes': 'Send it',
  'owner.message.sending': '-# Sent to {done, number} of {servers, number} …',
  'owner.message.sent': 'Sent to {sent, plural, one {# server} other {# servers}}.',
  'owner.message.missed':
    'Not sent to {missed, plural, one {# server} other {# servers}}, where the bot may write nowhere or Discord refused: {servers}',
  'owner.message.heading': '**From whoever runs this bot, to those who manage this server:**\n{words}',

  'store.failed':
    'The bot’s memory does not answer, so nothing was changed, and what is in it cannot be shown. Try again in a minute; if it keeps failing, tell whoever runs this bot.',
  'store.unread':
    'The bot’s memory does not answer, so what was used is not known. New texts are refused until it does.',
  'store.last-seen': 'The bot’s memory does not answer: this is as it was last seen, and cannot be changed now.',
  'store.failed-text':
    'The bot’s memory does not answer, so no speech can be made. Try again in a minute; if it keeps failing, tell whoever runs this bot.',
  'failed.unexpected':
    'Something went wrong inside the bot. Try again; if it keeps failing, tell whoever runs it this code:',
  'failed.answer-refused':
    'Discord refused the bot’s answer, so it cannot be shown. Try again; if it keeps failing, tell whoever runs this bot.',

  // What is added to a failure
  'failed.reference': '`{reference}`',
  'failed.part': 'Spoken up to part {part, number} of {parts, number}, which could not be made.',
  'failed.credits-used': '{used, plural, one {# credit was} other {# credits were}} used.',
  'failed.credits-unknown': 'Credits may have been used.',
  'failed.credits-maybe-more': 'What was still being made may cost more.',
  'failed.credits-none': 'No credits were used.',
} as const;
