import { SPEED_RANGE, TEMPERATURE_RANGE } from '../speech/interface/models.ts';

/** Messages without words, the same in every language. A catalog may have its own, as German has other quotation marks. */
const WORDLESS = {
  'voice.label': '{name} ({model})',
  'voice.label-with-sound': '{voice} · {sound}',
  'voice.sound': '{gender}, {accent}',
  'voices.line-with-sound': '- **{name}** · {about}',
  'voices.option': '{model} · {language}',
  'voice.show.value': '- {parameter}: {value} ({source})',
  'settings.value': '**{setting}**: {value}',
  'settings.mistakes': '{first}\n{second}',
  'settings.bad-word': '“{word}”: {problem}',
  'setting.number': '{value, number}',
  'setting.seconds': '{count, number, ::unit/second unit-width-full-name}',
  'setting.minutes': '{count, number, ::unit/minute unit-width-full-name}',
  'setting.hours': '{count, number, ::unit/hour unit-width-full-name}',
  quoted: '“{words}”',
  'reading.replies': '{name}, {words}',
  'dictionary.option': '{from} → {to}',
  'moderation.line': '{when} {member}: {kind}{characters}{voices}{where}: {outcome}{by}{cause}{bleeped}{credits}',
  'moderation.cause': ' ({cause})',
  'moderation.item': ', {item}',
  'lines.item': '- {item}',
  'lines.pair': '{name}: {value}',
  'lines.value': '- {name}: {value}',
  'owner.status.ok': '- {name}: OK',
  'owner.spending.server': '{server} (`{id}`)',
  'failed.reference': '`{reference}`',
} as const;

/**
 * Messages are ICU MessageFormat: `{name}` is inserted as it is; `{count, number}` and `{count, plural, …}` follow the
 * rules of the reader's language. Each further language is a file with the same keys, but for those without words.
 */
export const en = {
  ...WORDLESS,

  'voice.gender.female': 'female',
  'voice.gender.male': 'male',
  'voice.accent.american': 'American',
  'voice.accent.australian': 'Australian',
  'voice.accent.british': 'British',
  'voice.accent.indian': 'Indian',
  'voice.accent.irish': 'Irish',
  'voice.accent.new-york': 'New York',
  'voice.accent.scottish': 'Scottish',
  'credits.used-and-left':
    '-# {used, plural, one {# credit} other {# credits}} used, {left, plural, one {# credit} other {# credits}} left.',
  'spent.used': '-# {used, plural, one {# credit} other {# credits}} used.',
  'spent.used-and-own-left':
    '-# {used, plural, one {# credit} other {# credits}} used, {left, plural, one {# credit} other {# credits}} left of your {limit, number} for today.',
  'spent.maybe-more': '-# More credits may have been used than is known.',
  'spent.cached': '-# Cached, no credits used.',
  'counted.credits': '{count, plural, one {# credit} other {# credits}}',
  'counted.characters': '{count, plural, one {# character} other {# characters}}',
  'question.cancel': 'Cancel',
  'question.canceled': 'Canceled.',
  'parameter.voice': 'voice',
  'parameter.style': 'style',
  'parameter.speed': 'speed',
  'parameter.temperature': 'temperature',
  'parameter.spokenName': 'spoken name',
  'parameter.seed': 'seed',
  'parameter.tags': 'tags',
  'parameter.languageVoices': 'voices by language',
  'parameter.language': 'language you write in',
  'source.option': 'from your command',
  'source.forced': 'forced in this server',
  'source.own-here': 'your setting for this server',
  'source.own-everywhere': 'your setting for all servers',
  'source.given': 'given to you in this server',
  'source.server': 'server default',
  'source.bot': 'bot default',
  'source.voice': 'the voice’s default',
  'source.allowed': 'first voice allowed in this server',
  'source.server-language': 'this server’s voice for this language',
  'source.own-language': 'your voice for this language',

  'say.description': 'Read text aloud in your voice channel, or get it as an audio file or voice message',
  'say.text': 'What to say',
  'say.voice': 'Voice by name, language, model or sound, such as female (default: your usual voice)',
  'say.language': 'Language of the text (default: detected)',
  'say.foreign-language':
    '-# {voice} doesn’t speak {language}.{chosen, select, yes { Choose another voice, or leave out the language option.} other {}}',
  'say.in-language': '-# {usual} doesn’t speak {language}, so {voice} read this instead.',
  'say.instead-of': '-# {usual} can’t read this text, so {voice} read it instead.',
  'say.stood-in': '-# {voice} isn’t available right now, so {other} read this instead.',
  'say.style': 'How to say it, for example whispering (some voices only)',
  'style.billed':
    '-# {whose, select, own {The style is billed as well: it adds} other {With most voices, a style is billed as well: it adds its length plus}} {characters, number} characters to every text, and again for every further part of a long one and at every change of voice, as in a script.',
  'say.speed': `Speed: 1 is normal, ${SPEED_RANGE.min} is slowest, ${SPEED_RANGE.max} is fastest. Some voices only`,
  'say.temperature': `Variation: ${TEMPERATURE_RANGE.min} is the most even, ${TEMPERATURE_RANGE.max} the most varied. Some voices only`,
  'say.seed': 'Use the same number to get the same reading again (some voices only)',
  'say.format': 'Audio format to request from the speech service',
  'say.ended':
    '{by, select, nobody {Spoken} requester {Stopped early,} other {Stopped early by <@{by}>,}} in {channel} with {voice}: “{text}”',
  'say.caught-up': '-# Spoken faster, because the queue was long.',
  'say.default-gone':
    '-# This server’s default voice, {voice}, no longer exists, so the bot’s default was used. Server managers choose another one with /settings panel.',
  'say.own-gone': '-# Your voice, {voice}, no longer exists, so another one was used. Pick a new one with /voice set.',
  'say.ignored': '-# {voice} ignores {parameters}{other, select, none {} other {, but {other} doesn’t}}.',
  'say.with-voice': 'Say it with {voice}',
  'say.tags-ignored': '-# {voice} ignores speech tags; /tags shows whether other voices support them.',
  'say.only-tags':
    '{voice} doesn’t support speech tags, and there’s nothing else in this text. Add some words, or use /tags to find voices that do.',
  'say.channel-ignored': '-# The channel option was ignored: it’s only for speaking in a voice channel.',
  'say.channel': 'Voice channel to speak in (default: yours)',
  'say.as': 'Voice channel (default), audio file, voice message, or a script for several voices',
  'say.as.voice': 'voice channel',
  'say.as.file': 'audio file',
  'say.as.voice-message': 'voice message',
  'say.as.script': 'script (several voices)',
  'script.form': 'Speak a script',
  'script.form-lines': 'One line per speaker, NAME: text',
  'script.form-hint': 'NAME is a voice, or a member whose voice is used. For example: aria: Hello!',
  'script.no-name': 'Start every line with a speaker, for example “aria: Hello!”. This line has none: “{line}”.',
  'script.no-words': 'There’s nothing to say after “{name}:”.',
  'script.too-many-lines': 'A script can have up to {limit, number} lines; this one has {count, number}. Shorten it.',
  'script.no-options': 'In a script, the name at the start of each line picks the voice. Leave out voice and language.',
  'script.several-members': 'Several members are called “{name}”. Use the username of the one you mean.',
  'script.unknown-names':
    '{count, plural, one {No voice or member has this name} other {No voice or member has these names}}: {names}. Use a voice from /voices, or a member’s display name.',
  'say.form': 'Speak a long text',
  'say.form-hint': 'Up to {limit, plural, one {# character} other {# characters}}, read in one go.',
  'say.confirm':
    'This is a long text: {characters, plural, one {# character} other {# characters}} will be billed{style, select, billed { (including the style)} other {}}{about, plural, =0 {} one {, about # credit} other {, about # credits}}. {as, select, voice {Speak it?} file {Create the file?} other {Create the voice message?}}',
  'say.confirm-yes': '{as, select, voice {Speak it} file {Create the file} other {Create the voice message}}',
  'say.again': 'Try again',
  'say.form-over':
    'The options you picked, such as a voice, are gone: the bot restarted, or the form was open for more than 15 minutes. Your text is safe: press “Edit” to read it with your usual settings, or to copy it.',
  'form.again': 'Edit',
  'say.skip': 'Skip',
  'say.stop': 'Stop',
  'say.replay': 'Replay',
  'say.save': 'Save as file',
  'say.waiting':
    '-# In the queue at position {position, number}{wait, select, unknown {} paused {. Reading is paused; see /queue} other {, about {wait} to go}}.',
  'say.joining': '-# Joining {channel}…',
  'say.raising-hand': '-# Requesting to speak in {channel}: a stage moderator has to invite the bot…',
  'say.synthesizing': '-# Generating speech{parts, plural, =1 {} other {: part {part, number} of {parts, number}}}…',
  'say.ending': '-# Stopped early. Checking what it cost…',
  'say.busy': '-# The speech service is busy. Still trying ({seconds, number} s)…',
  'say.speaking':
    '-# Speaking{parts, plural, =1 {} other { part {part, number} of {parts, number}}} in {channel} with {voice}: “{text}”',
  'say.paused': '-# Paused in {channel}. Use /resume to continue.',
  'say.billed': '-# {characters, plural, one {# character} other {# characters}} billed, in {parts, number} parts.',
  'say.file': 'With {voice}: “{text}”',
  'say.not-covered':
    'Not enough credits: this would cost about {about, number}, more than the account has, so nothing was generated. Try a shorter text, or ask the bot’s owner to add credits.',
  'say.voice-message': 'Sent with {voice}: “{text}”',
  'say.voice-message-refused':
    '-# Discord doesn’t let the bot send voice messages here, so this is a file. In a server, the bot needs the Send Voice Messages permission.',
  'say.no-voice-here':
    'There is no voice channel here. Choose “audio file” or “voice message” in the as option of /say.',
  'say.too-long':
    'Too long: that text has {length, number} characters{counted, select, spoken { when read aloud} other {}}, and this server’s limit is {limit, number}. Shorten it.',
  'say.empty': 'There’s nothing to read in that text. Add at least one letter, digit or emoji.',
  'say.silenced':
    'This server’s dictionary skips everything in that text. Use other words, or ask an admin to check /dictionary list.',
  'speak-message.name': 'Read aloud',

  'speak-message.description': 'Read this message aloud in your voice channel, in your voice',
  'save-speech.name': 'Save as audio',
  'save-speech.description': 'Save this message as an audio file, in your voice',
  'speak-message.opted-out': 'The author of that message has opted out of being read aloud.',
  'speak-message.bots-own':
    'That message is from the bot itself. To hear its text again, use “Replay” below it or /replay; “Save as file” gives you the audio.',
  'save.saved': 'Saved: “{text}”',

  'voices.description': 'List the available voices',
  'voices.search': 'Only voices that match a name, language, model or sound, such as female',
  'voices.title': '{count, plural, one {# voice} other {# voices}} to choose from:',
  'voices.found': '{count, plural, one {# voice matches} other {# voices match}} “{search}”:',
  'voices.line': '- **{name}** ({model}), {language}{options, select, none {} other {; supports {options}}}',
  'voices.any-language': 'multilingual',
  'voices.languages': '{count, plural, one {# language} other {# languages}}',
  'voices.choose': 'Choose a voice to try it or use it',
  'voices.hint': '-# Choose one below to try it or use it, or type its name in the voice option of /say.',
  'voices.none': 'No voice matches “{search}”. Try a shorter search, or use /voices without options for the full list.',
  'voices.gone': 'That voice no longer exists. See /voices for the current list.',
  'voices.card': '**{name}**\nModel: {model}\n{languages}\nFormats: {formats}\nOptions: {options}',
  'voices.card-with-sound': '**{name}** · {sound}\n{languages}\nOptions: {options}',
  'voices.card.speaks': 'Speaks {count, plural, one {# language} other {# languages}}',
  'voices.card.language': 'Language: {language}',
  'voices.card.more-options': 'perhaps others',
  'voices.card.options-unknown': 'unknown',
  'voices.preview': 'Listen',
  'voices.preview-about': 'Listen (about {about, plural, one {# credit} other {# credits}})',
  'voices.preview-billed': 'Listen ({characters, plural, one {# character} other {# characters}} billed)',
  'voices.use-mine': 'Use as my voice',
  'voices.mine':
    '{where, select, here {Your voice in this server} other {Your voice in all servers}} is now {voice}{before, select, none {} other { (was {before})}}.',
  'voices.use-as-mine': 'Use {voice} as my voice',
  'voices.use-default': 'Use as server default',
  'voices.sample': 'Hello! This is how I sound. I hope you like my voice.',
  'voices.listen': 'Listen to these in a row',
  'voices.named-sample': 'Hello, I’m {name}.',
  'voices.previewed': 'That was {voice}.',
  'voices.stale': '-# The speech service isn’t responding. This list is from {since}.',

  'tags.description': 'Show the speech tags a voice supports',
  'tags.voice': 'Voice (default: your usual one)',
  'tags.none':
    '{voice} doesn’t support tags: {tags, select, left {/say leaves out common ones, and others are read aloud} other {all words in brackets are read aloud, and count as characters}}. {models, select, none {If the voice supports it, use the style option of /say instead.} other {Voices of {models} support them: pick one from /voices.}}',
  'tags.square':
    '{voice} supports tags in square brackets. Make up your own and put them where they should take effect: `[whispering]`, `[cheerful]`, `[pause]`.',
  'tags.angle':
    '{voice} supports short tags in angle brackets. Make up your own and put them where they should be heard: `<sigh>`, `<short pause>`. To change how the whole text sounds, use the style option of /say.',
  'tags.closed': '{voice} supports these tags.',
  'tags.instant': 'One-off sounds: {tags}',
  'tags.wrapping': 'Wrapped around words: {tags}',
  'tags.hint': '-# Put them in the text of /say. They count as characters, and a misspelled tag is read aloud.',

  'voice.description': 'Choose your voice and how it sounds',
  'voice.set.description': 'Save a voice, style, speed or temperature for everything you say',
  'voice.set.voice': 'Type a name, language, model or sound, such as female, and pick the voice to save',
  'voice.name.description': 'Choose how the bot says your name',
  'voice.name.name': 'Your name as it sounds, for example: Shivawn',
  'voice.name.kept':
    '{where, select, here {Saved for this server: the} other {Saved for all servers: the}} bot says your name as “{name}”.',
  'voice.name.unspeakable': 'There’s nothing to say in “{name}”. Use letters or numbers.',
  'voice.name.blocked':
    'The bot can’t say your name as “{name}”: this server blocks a word in it. Choose another name.',
  'voice.show.name':
    '- name, as it’s spoken: {name} ({source}{use, select, blocked {; not used here, since this server blocks a word in it} other {}})',
  'voice.show.description': 'Show your voice settings and where each one comes from',
  'voice.reset.description': 'Reset your saved voice settings',
  'voice.reset.what': 'Setting to reset (default: all of them)',
  'voice.where': 'Where it applies (default: this server)',
  'voice.where.here': 'this server',
  'voice.where.everywhere': 'all servers',
  'voice.style-billed': '{style}, billed as {characters, number} characters with every text',
  'setting.unset.none': 'none',
  'voice.set.kept': '{where, select, here {Saved for this server:} other {Saved for all servers:}}',
  'voice.set.changed': '- {parameter}: {after} (was {before})',
  'voice.set.unchanged': '- {parameter}: {after}, unchanged.',
  'voice.set.nothing': 'Choose something to save: a voice, language, style, speed or temperature.',
  'voice.set.shadowed':
    '-# Your settings for this server take priority here: {parameters}. Use /voice reset to remove them.',
  'voice.set.overruled': '-# On this server, {voice} is used instead ({source}).',
  'voice.show.title': 'Your voice settings {where, select, here {in this server} other {for all servers}}:',
  'voice.show.gone': '-# The selected voice, {voice}, no longer exists ({source}).',
  'voice.show.hint':
    '-# Change them with /voice set{own, select, yes {, reset them with /voice reset} other {}}. The options of /say take priority.',
  'voice.set.language': 'With a voice: only for this language. Without: the language you usually write in',
  'voice.reset.done': '{where, select, here {Reset for this server:} other {Reset for all servers:}}',
  'voice.reset.value': '- {parameter}: was {before}, now {value} ({source})',
  'voice.reset.nothing':
    '{where, select, here {You have nothing to reset for this server.} other {You have nothing to reset for all servers.}}{elsewhere, select, here { What you saved for this server stays: to reset it, leave out the where option.} everywhere { What you saved for all servers stays: to reset it, choose that in the where option.} other {}}',

  'credits.description': 'Show what you have used and what is left',
  'credits.left': '{left, plural, one {# credit} other {# credits}} left.',
  'credits.own-count': '-# This is the bot’s own count. It doesn’t know your provider’s prices or balance.',
  'credits.updated': 'Last updated {when}.',
  'credits.used':
    '- {who, select, here {You, in this server} everywhere {You, in all servers} server {This server} other {All servers}}: {today} of {limit, number} used today, {month, number} this month.',
  'credits.cached':
    '-# {who, select, everywhere {You, in all servers} other {This server}}: {month, plural, one {# text} other {# texts}} cached and free this month.',
  'credits.renews': 'Daily limits reset {when}, at 00:00 UTC.',

  'account.low': '{left} {remedy} You won’t get this message again today.',
  'account.left':
    '{left, plural, =0 {No credits are left} one {Only # credit is left} other {Only # credits are left}}.',
  'account.ran-out': 'The speech service rejected a text because the account is out of credits.',
  'account.allowance':
    '{left, plural, =0 {The built-in voice has used up its allowance.} one {The built-in voice has # character left.} other {The built-in voice has # characters left.}}',
  'account.remedy': 'Top up the speech service account.',
  'account.remedy-url': 'Top up here: {url}',
  'account.remedy-local':
    'Add more with `{command}`; see “Topping up” in docs/reference/speech-service.md. If you changed DATA_DIR, add `--data DATA_DIR/speech`.',
  'account.lost-sounds':
    '{lost, plural, one {The last text was} other {The last # texts were}} paid for but couldn’t be played (model {model}). {why, select, refused {Their audio is at addresses that the bot isn’t allowed to download from: check AUDIO_HOSTS.} unreachable {Their audio couldn’t be downloaded.} unplayable {Their audio is in no format that can be played, damaged, or without the words of the text.} endless {Their audio was far longer than the text.} other {Their audio is longer than the bot can play at once.}} The log has the error. The bot has stopped paying for this model, except for tests at growing intervals. You’ll get one more message when it works again.',
  'account.lost-answers':
    '{lost, plural, one {The last text} other {The last # texts}} got no audio and may have been billed (model {model}): the speech service, or the engine behind it, didn’t answer, or not with audio. The log has the error. The bot has stopped paying for this model, except for tests at growing intervals. You’ll get one more message when it works again.',
  'account.absurd-bill':
    'The speech service’s bill for a text (model {model}) can’t be right: it’s more than 1,000 times the highest price known. The bot doesn’t go by it: it counts what it expected, and the log has the bill. Check the service’s account: if it really was charged, the bot’s limits don’t cover it. You won’t get this message again today.',
  'account.sounds-arrive': 'Audio from the model {model} plays again. New texts are spoken as usual.',

  'settings.description': 'Change the bot’s settings for this server',
  'settings.panel.description': 'Open a panel with all settings of this server',
  'settings.read.description': 'Read a channel’s messages aloud, or stop',
  'settings.read.channel': 'Text channel, forum, or voice channel (for its chat)',
  'settings.read.on': 'Turn reading on or off (default: on)',
  'settings.mute.description': 'Stop a member from using the bot, or allow it again',
  'settings.mute.member': 'The member',
  'settings.mute.on': 'Mute or unmute (default: mute)',
  'settings.mute.itself': 'That’s the bot itself. Choose a member, or use /leave to make the bot leave.',
  'settings.mute.undo': '/settings mute member:{member} on:False undoes it.',
  'settings.managers-exempt': 'Members with the Manage Server permission can still use /say.',
  'settings.changed': '{setting}: now {after} (was {before}).',
  'settings.unchanged': 'Nothing changed.',
  'settings.title': '## Server settings',
  'settings.page.voices': 'Voices',
  'settings.page.people': 'Permissions',
  'settings.page.limits': 'Limits',
  'settings.page.reading': 'Chat reading and announcements',
  'settings.page.presence': 'Presence and language',
  'settings.page.words': 'Blocked words',
  'settings.page.data': 'Export, import, reset',
  'settings.change': 'Change',
  'settings.turn-on': 'Turn on',
  'settings.turn-off': 'Turn off',
  'settings.choose-texts': 'Texts and queue',
  'settings.choose-credits': 'Limits per day',
  'settings.choose-times': 'When to leave',
  'settings.voice-hint': 'A name from /voices; leave empty for none',
  'settings.forced-note': '-# With a forced voice, only an allowed voice picked in /say can replace it.',
  'settings.words-hint': 'One per line, or separated by commas. Whole words only; add * to match longer ones: banana*',
  'settings.exceptions-hint': 'Always allowed, exactly as written: exposé with “expose” blocked, Moby Dick with “dick”',
  'settings.credits-hint': 'Up to the bot owner’s limit; leave empty for that limit',
  'settings.range':
    '{min, number} to {max, number}{unit, select, seconds { seconds} other {}}; leave empty for the default',
  'settings.bad-number':
    '{setting}: enter {whole, select, yes {a whole number} seconds {a whole number of seconds} other {a number}} from {min, number} to {max, number}.',
  'settings.too-many': '{setting}: the maximum is {limit, number}.',
  'settings.reading-off':
    '⚠️ The bot can’t read messages aloud yet: READ_MESSAGES is off. Ask the bot’s owner to turn it on.',
  'settings.reading-unseen':
    '-# The bot can’t see {channels}, so nothing is read there. Give it the View Channel permission.',
  'settings.blocked-hint':
    '-# When a text is rejected, its author is told. A message that would have been read aloud is then skipped without notice; only the moderation log shows it.',
  'settings.bleep-hint':
    '-# Instead of a blocked word, “beep” is spoken, in the server’s language. A script is still rejected if a blocked phrase of several words goes from one of its lines to the next.',
  'settings.moderation-hint':
    '-# The moderation log shows who had a text spoken and when, its length and voice, and how it ended, never the text itself. Texts rejected for a blocked word are in it; attempts by members who aren’t allowed to use the bot aren’t.',
  'settings.auto-join-obstacle': '⚠️ The bot can’t join automatically yet. {why}',
  'settings.auto-join-gone': '⚠️ The channel to join automatically no longer exists. Choose another one.',
  'settings.dictionary-hint': '-# Set how words are pronounced with /dictionary.',
  'settings.data':
    'Export gives you a file with all settings of this server. Import replaces them with those from a file, Reset sets everything back to default; both give you a file with the old settings.',
  'settings.export': 'Export',
  'settings.exported':
    'All settings of this server, except the dictionary (/dictionary export). Use Import to restore them.',
  'settings.import': 'Import',
  'settings.import-file': 'File',
  'settings.import-hint': 'A file from Export; it replaces all settings',
  'settings.import-elsewhere':
    '⚠️ Left out: channels and roles that this server doesn’t have, in {settings}. A restriction with none left doesn’t apply.',
  'settings.import-wrong':
    '{where, select, nowhere {That file isn’t an export of settings} other {That file has an error at “{where}”}}, so nothing was changed. Choose a file from Export.',
  'settings.reset': 'Reset',
  'settings.reset-sure': 'Reset all settings of this server? You’ll get a file with the old settings.',
  'settings.reset-yes': 'Reset all settings',
  'settings.was-reset':
    'All settings were reset. {file, select, yes {This file has the old ones: use Import to restore them.} other {There’s no file with the old ones, as they couldn’t be read.}}',
  'settings.unreadable':
    'This server’s settings can’t be read, so nothing is spoken here and none can be changed. On the page “{page}” of /settings panel, import a file with settings or reset them.',
  'upload.none': 'No file was uploaded. Choose one and submit the form again.',
  'upload.too-large': 'That file is too large: the maximum is {kilobytes, number} kB. Nothing was changed.',
  'upload.not-text':
    'That isn’t a text file in UTF-8, so nothing was changed. Save it as UTF-8 (in Excel: “CSV UTF-8”) and import it again.',
  'upload.unreachable': 'The file couldn’t be downloaded from Discord, so nothing was changed. Try again.',

  'setting.defaultVoice': 'Default voice',
  'setting.giveOwnVoices': 'Give members without a voice one of their own',
  'setting.forcedVoice': 'Force one voice',
  'setting.allowedModels': 'Allowed models',
  'setting.languageVoices': 'Voices by language',
  'setting.allowedRoles': 'Allowed roles',
  'setting.blockedRoles': 'Blocked roles',
  'setting.mutedMembers': 'Muted members',
  'setting.allowedChannels': 'Allowed channels',
  'setting.maxCharacters': 'Maximum text length, in characters',
  'setting.confirmAboveCharacters': 'Ask before texts longer than (characters)',
  'setting.queueLimit': 'Queue limit',
  'setting.catchUp': 'Speak faster when the queue is long',
  'setting.cooldownSeconds': 'Cooldown between texts',
  'setting.textsInTenSeconds': 'Texts per member in 10 seconds',
  'setting.creditsPerServer': 'Credits per day, server',
  'setting.creditsPerMember': 'Credits per day, each member',
  'setting.creditsPerServer.free': 'Characters per day, server',
  'setting.creditsPerMember.free': 'Characters per day, each member',
  'setting.autoReadChannels': 'Channels read aloud',
  'setting.autoReadVoiceChat': 'Read the voice channel’s chat',
  'setting.autoReadVoiceChat.never': 'never',
  'setting.autoReadVoiceChat.joined': 'after /join',
  'setting.autoReadVoiceChat.always': 'always',
  'setting.autoReadOnlyInVoice': 'Only read authors who are in the voice channel',
  'setting.autoReadNames': 'Say who wrote a message',
  'setting.autoReadNames.always': 'every time',
  'setting.autoReadNames.on-change': 'when the author changes',
  'setting.autoReadNames.never': 'never',
  'setting.autoReadBots': 'Read bots and webhooks',
  'setting.announceMembers': 'Announce who joins and leaves',
  'setting.aloneSeconds': 'Leave when alone, after',
  'setting.idleSeconds': 'Leave when silent, after',
  'setting.autoJoinChannel': 'Join automatically when a member enters',
  'setting.hushed': 'Leave silently',
  'setting.language': 'Language of announcements and emoji',
  'setting.blockedWords': 'Blocked words',
  'setting.blockedWordsExceptions': 'Exceptions to blocked words',
  'setting.blockedWordsMode': 'What happens to blocked words',
  'setting.blockedWordsMode.refuse': 'reject the text',
  'setting.blockedWordsMode.bleep': 'bleep them out',
  'setting.moderationChannel': 'Moderation log',
  'setting.on': 'on',
  'setting.off': 'off',
  'setting.at-once': 'at once',
  'words.count': '{count, plural, one {# word} other {# words}}',
  'list.more': '{count, number} more',
  'setting.no-limit': 'no limit',
  'setting.owners-limit': '{limit, number} (the bot owner’s limit)',
  'setting.above-owners-limit': '{value, number} (but the bot owner’s limit is {limit, number})',
  'setting.unset.all': 'all',
  'setting.unset.server': 'the server’s language in Discord',
  'setting.unset.default': 'default',
  'setting.default-of': 'default ({value})',
  'setting.not-allowed': '{voice}, which isn’t allowed and so isn’t used',

  'settings.before': 'This file has the settings as they were before the change: use Import to restore them.',
  'settings.bad-language-line': '“{line}” isn’t a language and a voice. Write one per line, such as “de: aria”.',
  'settings.language-voices-hint': 'One per line: a language and a voice, such as “de: aria”; leave empty for none',

  'stop.description': 'Stop your texts; as a moderator, everybody’s',
  'stop.stopped':
    '{waiting, plural, =0 {Stopped.} one {Stopped, and removed # text from the queue.} other {Stopped, and removed # texts from the queue.}}',
  'stop.own': '{count, plural, one {Removed your text.} other {Removed your # texts.}}',
  'stop.nothing': 'Nothing is being spoken right now.',
  'stop.not-yours':
    'You have no text here to stop. Only {member} or a moderator can stop what is being spoken for {member}.',
  'skip.description': 'Skip the current text, or one in the queue',
  'skip.position': 'Position in /queue (default: the current text)',
  'skip.removed-of-other': 'Removed a text by {member} from the queue.',
  'skip.skipped-of-other': 'Skipped a text by {member}.',
  'skip.gone': 'There is no such text in the queue. Pick one from the list, or give its position in /queue.',
  'skip.not-yours': 'You can’t do that to {member}’s text. Only they or a moderator can.',
  'pause.description': 'Pause speech; /resume continues it',
  'pause.paused': 'Paused. Use /resume to continue.',
  'pause.already': 'Already paused. Use /resume to continue.',
  'resume.description': 'Resume after /pause',
  'resume.resumed': 'Resumed.',
  'resume.nothing': 'Nothing is paused.',
  'queue.description': 'Show the current text and the queue',
  'queue.empty': 'The queue is empty. Add something with /say.',
  'queue.now': 'Now: {member}: {words}',
  'queue.paused': 'Paused: {member}: {words}',
  'queue.nothing-waits': 'Nothing else in the queue.',
  'queue.waiting': '{position, number}. {member}: {words}{wait, select, unknown {} other { (in about {wait})}}',
  'queue.unseen': 'in a voice channel you can’t join',
  'page.of': '-# Page {page, number} of {pages, number}',
  'page.previous': 'Previous page',
  'page.next': 'Next page',
  'page.refresh': 'Refresh',
  'replay.description': 'Replay the last text',
  'replay.speaking': '-# Replaying in {channel}: “{text}”',
  'replay.ended':
    '{by, select, nobody {Replayed} requester {Stopped early,} other {Stopped early by <@{by}>,}} in {channel}: “{text}”',
  'join.description': 'Bring the bot into a voice channel',
  'join.channel': 'Channel to join (default: yours)',
  'join.joined': 'Joined {channel}.',
  'join.reads-no-longer': 'The chat of {channel} is no longer read aloud. Use /join to start it again.',
  'join.always-read':
    'This server reads the chat of {channel} aloud. Use /opt-out to leave out your own messages, in all servers.',
  'join.stop-reading': 'Don’t read the chat',
  'join.reads-chat': '-# Messages in the chat of {channel} are read aloud while the bot is there.',
  'join.already': 'The bot is already in {channel}.',
  'leave.description': 'Leave the voice channel and clear the queue',
  'leave.left': 'Left {channel}.',
  'leave.not-yours':
    '{member} still has texts in the queue there. Try again once they’ve been read, or ask a moderator to make the bot leave now.',
  'leave.absent': 'The bot isn’t in a voice channel of this server.',
  'about.description': 'Show information about the bot and its voice',
  'about.crier': 'Crier {version}, a text-to-speech bot for voice channels.',
  'about.voice-free': 'The voice is free.',
  'about.voice-service': 'The voice comes from a speech service; /credits shows what you used and what is left.',
  'about.ping': 'Latency to Discord: {ping, number} ms.',
  'about.hint': '-# See /help for all commands and /privacy for what’s stored.',

  'help.description': 'Show what the bot can do',
  'help.command-option': 'Command to explain, with its options',
  'help.title-direct': 'Type /say: the bot replies with a voice message or an audio file.',
  'help.title': 'Join a voice channel and type /say: the bot joins you and speaks.',
  'help.message-command': '**{name}** (in the Apps menu of a message): {description}',
  'help.managers': '**For managers of this server**',
  'help.more': '-# Use /help with a command to see its options.',
  'help.unknown': 'Unknown command “{name}”. Use /help alone for a list.',
  'help.for-managers': '-# Needs the Manage Server permission, or access given in Server Settings → Integrations.',
  'help.option': '- {name}{required, select, yes {} other { (optional)}}: {description}',

  'refused.not-in-voice': 'You’re not in a voice channel. Join one, then try again.',
  'refused.server-only': 'This only works in a server, not in direct messages.',
  'refused.direct-off':
    'The bot’s owner hasn’t enabled it for direct messages and other servers. Use it in a server it has joined.',
  'refused.not-permitted': 'You need the Manage Server permission to do that.',
  'refused.not-given':
    'You need the Manage Server permission, or access to this command, to do that. If you have access, use /{command}.',
  'refused.you-lack': 'You’re missing {permissions} in {channel}, so you can’t send the bot there.',
  'refused.over': 'This has expired. Use the command again.',
  'refused.pressed-already': 'You’ve already answered this one.',
  'refused.member-muted': 'An admin muted you for this bot.',
  'refused.blocked-role': 'Members with {role} can’t use the bot in this server.',
  'refused.role-needed': 'To use the bot in this server, you need one of these roles: {roles}.',
  'refused.channel-needed': 'In this server, the bot can only be used in {channels}.',
  'refused.not-spoken-there': 'In this server, the bot doesn’t speak in {channel}, only in {channels}.',
  'refused.server-cooldown':
    'This server has a cooldown between texts. Try again in {seconds, plural, one {# second} other {# seconds}}.',
  'refused.too-many-texts':
    'Slow down: the limit is {count, plural, one {# text} other {# texts}} per 10 seconds. Try again in {seconds, plural, one {# second} other {# seconds}}.',
  'refused.voice-not-allowed': '{voice} isn’t allowed in this server. See /voices for the voices you can use.',
  'refused.cooldown': 'Too fast. Try again in {seconds, plural, one {# second} other {# seconds}}.',
  'refused.missing-permissions':
    'The bot can’t speak in {channel}: it’s missing {permissions}. Ask an admin to allow that in the channel’s settings.',
  'refused.channel-full':
    '{channel} is full ({limit, plural, one {# person} other {# people}}). Make room or raise its user limit, then try again.',
  'refused.stage':
    'The bot can’t speak on the stage {channel}: it needs Mute Members or Request to Speak. Ask an admin for one of them, or use a voice channel.',
  'stage.not-invited':
    'The bot requested to speak in {channel}, but wasn’t invited. Try again, and have a stage moderator invite it within a minute.',
  'refused.busy-elsewhere': 'The bot is in {channel} with others right now. Join them, or wait until it leaves.',
  'refused.nobody-there': 'No one is in {channel} to hear it. Join it, or choose a channel with someone in it.',
  'refused.other-channel': 'The bot is in {channel}. Join that channel, then try again.',
  'refused.queue-full':
    'The queue is full ({limit, plural, one {# text} other {# texts}}). Try again when there’s room.',
  'refused.own-queue-full':
    'The limit is {limit, plural, one {# text} other {# texts}} in the queue per person. Try again when there’s room.',
  'refused.duplicate': 'That text is already in the queue. You can send it again once it has been spoken.',
  'refused.afk':
    '{channel} is this server’s AFK channel, where no one can be heard. Join another voice channel, then try again.',
  'refused.by-rules': 'This server’s rules don’t allow speaking this.',
  'refused.muted':
    'A moderator muted the bot in this server, so no one can hear it. Ask a moderator to unmute it: right-click the bot, Server Mute.',
  'refused.timed-out':
    'The bot is timed out in this server until {until}. Ask a moderator to remove the timeout, or try again after that.',
  'replay.gone':
    'This one is gone: texts are kept for up to 15 minutes, but not after a restart of the bot or /forget. Use /say with the text again.',
  'replay.nothing':
    'Nothing to replay: the last few texts are kept for up to 15 minutes if they were fully generated, but not after a restart of the bot or /forget. Use /say to read something aloud.',
  'replay.unseen': 'This was spoken in a voice channel you can’t join.',
  'refused.spending':
    'Over {scope, select, here {your limit in this server} member {your limit} server {this server’s limit} other {the bot’s limit}}: this costs about {about, number} and {scope, select, here {you have} member {you have} other {it has}} {left, number} of {limit, number} left today. Resets {when}.',
  'refused.spending.never':
    'Over {scope, select, here {your limit in this server} member {your limit} server {this server’s limit} other {the bot’s limit}}: this costs about {about, number}, more than the {limit, number} of a whole day. {advice}',
  'refused.spending.off':
    'Speech is switched off{scope, select, member { for members} server { in this server} total {} other { for members of this server}}: the daily limit is 0. {advice}',
  'refused.spending.others': 'This text costs more than this member has left for today. Resets {when}.',
  'refused.spending.others-never': 'This text costs more than this member may use in a whole day. {advice}',
  'refused.spending.ask-admin': 'An admin can raise the limit.',
  'refused.spending.ask-owner': 'The bot’s owner can raise the limit.',
  'refused.lost-sounds':
    'Audio from this voice’s model couldn’t be played lately, so the bot doesn’t ask for more until its next test, {when}. Until then, choose a voice of another model.',
  'refused.unknown-voice': 'Unknown voice “{voice}”. See /voices for the names.',
  'refused.unknown-voice-did-you-mean': 'Unknown voice “{voice}”; /voices lists all names. Did you mean {suggestions}?',
  'refused.ambiguous-voice': 'Several voices are named “{voice}”: {candidates}. Add the model, as shown here.',
  'refused.ambiguous-beside-forced':
    'This server always uses {forced}, unless you pick a voice in /say. Several voices are named “{voice}”: {candidates}; add the model there.',
  'refused.format':
    '{voice} only supports {formats}. Leave out the format option{models, select, none {: no voice here supports {format}} other {, or choose a voice of {models} for {format}}}.',
  'refused.no-voices': 'The speech service has no voices right now. The bot’s owner should check the service.',
  'refused.none-allowed':
    'No voice can be used here: the allowed models exclude all of them. An admin can change them in /settings panel, on the page “Voices”.',
  'refused.nobody-speaks': 'No voice available here can speak {words}.',
  'refused.cannot-speak': '{voice} can’t speak {words}. Choose another voice, for example {voices}.',
  'refused.server-not-allowed':
    'The bot’s owner only allows certain servers, and this isn’t one of them. Ask them to add its ID, {id}, to ALLOWED_SERVERS, then invite the bot again.',
  'refused.unknown-command': 'This command is outdated. Restart Discord to update the list, or see /help.',
  'refused.option-too-long': 'The option {option} takes up to {limit, number} characters; this has {length, number}.',
  'refused.owner-only': 'Only the bot’s owner can use this command.',
  'refused.stopping': 'The bot is restarting. Try again in a minute.',
  'refused.session-ended': 'Discord closed the bot’s connection. Tell the bot’s owner: the log says what to do.',

  // Permissions as Discord's own settings name them
  'permission.ViewChannel': 'View Channel',
  'permission.Connect': 'Connect',
  'permission.Speak': 'Speak',
  'permission.MuteMembers': 'Mute Members',

  'speech.invalid-request':
    'The speech service rejected this request. Change the text or the voice and try again; if that doesn’t help, tell the bot’s owner.',
  'speech.input-too-long': 'The text is too long for this voice. Shorten it, or split it into several /say commands.',
  'speech.unsupported-format': 'This voice doesn’t support that audio format. Choose another voice.',
  'speech.unsupported-language': 'This voice can’t speak this language. Choose another voice.',
  'speech.voice-not-found':
    'The speech service doesn’t have this voice right now. Choose another one from /voices, or try again later.',
  'speech.invalid-api-key':
    'The speech service rejected the bot’s key. The bot’s owner has to set a valid VOICE_API_KEY.',
  'speech.invalid-api-key-local':
    'The bot’s own speech service rejected the bot’s key. The bot’s owner has to restart the bot.',
  'speech.insufficient-credits': 'Not enough credits. The bot’s owner has to top up the speech service account.',
  'speech.insufficient-credits-url':
    'Not enough credits. The bot’s owner can top up the speech service account at {url}',
  'speech.insufficient-credits-local':
    'The bot’s own speech service doesn’t have enough credits for this. Try a shorter text, or ask the bot’s owner to add credits.',
  'speech.allowance':
    'The built-in voice’s allowance doesn’t cover this text. Try a shorter one, or ask the bot’s owner to add to it.',
  'speech.content-policy': 'The speech service rejected this text because of its content policy. Rephrase it.',
  'speech.rate-limited':
    'The speech service has too many requests. Try again {when, select, unknown {in a moment} other {{when}}}.',
  'speech.quota-exceeded':
    'The provider’s quota for this kind of voice is used up for now. The next attempt is {when}; until then, choose a voice of another model.',
  'speech.unavailable':
    'The speech service is {when, select, unknown {busy or down right now. Try again in a few minutes} other {busy right now. Try again {when}}}.',
  'speech.server-error': 'The speech service failed. Try again; if it keeps failing, tell the bot’s owner.',
  'speech.bad-response':
    'The speech service sent an invalid response. Tell the bot’s owner: VOICE_API_URL may be wrong.',
  'speech.network':
    'The speech service can’t be reached. Try again in a minute; if that doesn’t help, tell the bot’s owner.',
  'speech.timeout': 'The speech service took too long to respond. Try again in a minute.',
  'speech.aborted': 'Stopped before the speech service responded. Try again in a minute.',

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
  'readable.sounds': '{count, plural, one {an audio file} other {# audio files}}',
  'readable.files': '{count, plural, one {a file} other {# files}}',
  'readable.hidden-files': '{count, plural, one {a hidden attachment} other {# hidden attachments}}',
  // Words that the bot speaks around messages read aloud, and when members join or leave its voice channel
  'reading.says': '{name} says: {words}',
  'reading.sent': '{name} sent {words}',
  'reading.more': '… and more',
  'reading.joined': '{names} joined',
  'reading.left': '{names} left',
  'reading.many-joined': '{count, plural, one {one person} other {# people}} joined',
  'reading.many-left': '{count, plural, one {one person} other {# people}} left',
  'reading.trouble': '-# At least one message by {member} wasn’t read aloud. {why}',
  'reading.forced-cannot-speak':
    'This server’s forced voice can’t read all of it. An admin can change that in /settings panel, on the page “Voices”.',
  'reading.nobody-speaks':
    'No voice allowed in this server can read all of it. /voices lists them with their languages.',
  'reading.usual-cannot-speak': 'The voice used for it can’t read all of it. Choose another one with /voice set.',
  'reading.too-many': 'The limit is {count, plural, one {# text} other {# texts}} per 10 seconds.',
  'reading.too-soon': 'The limit is one text {seconds, plural, one {per second} other {every # seconds}}.',

  'opt-out.description': 'Never read my messages or announce me, in any server',
  'opt-out.back': 'Opt back in',
  'opt-out.done':
    'From now on, the bot never reads your messages or announces you, in any server. Others can’t have them read either. Texts you send with /say still work. To undo this: /opt-out back:True.',
  'opt-out.taken-back': 'The bot may read your messages and announce you, in servers that have this turned on.',

  'blocked.bleep': 'beep',

  'dictionary.in-line': 'Line {number, number}: {problem}',
  'dictionary.in-entry': 'Entry {number, number}: {problem}',
  'dictionary.file-too-large': 'That file is too large to be a dictionary. Nothing was changed.',
  'dictionary.is-settings':
    'That file has the settings of a server, not a dictionary, so nothing was changed. Import it on the page “{page}” of /settings panel.',
  'dictionary.no-entries': 'That file has no entries, so nothing was changed. Export the dictionary to see an example.',
  'dictionary.broken-json':
    'The JSON in that file is invalid near line {line, number}, so nothing was changed. Fix it, then try again.',
  'dictionary.no-tab':
    'There is no {separator, select, tab {tab} other {tab or comma}} between the written and the spoken form. Add one, or export the dictionary to see an example.',
  'dictionary.columns':
    'The third column must be “whole” or “part”; the fourth can be “case” or empty.{separator, select, tab {} other { Put a form that has a “{separator}” in quotation marks: {example}}}',
  'dictionary.form-missing': 'The {form, select, from {written form} other {spoken form}} is missing.',
  'dictionary.from-mixed':
    'The written form has more than one emoji, or an emoji beside something else, and is never found: each emoji is spoken by itself. Use one emoji alone, or words without emoji.',
  'dictionary.from-changed': 'This would never match: without formatting, links and repeats, only “{left}” is left.',
  'dictionary.same': '“{from}” is already read as it’s written, so nothing was changed.',
  'dictionary.form-too-long':
    'The {form, select, from {written form} other {spoken form}} has {length, number} characters; the maximum is {limit, number}.',
  'dictionary.not-an-entry': 'This isn’t an entry. An example of one: `{example}`.',
  'dictionary.twice': '“{from}” appears twice; first as number {first, number}.',
  'dictionary.too-many': 'Too many entries ({count, number}): a server can have {limit, number}. Nothing was changed.',

  'dictionary.description': 'Choose how words are pronounced in this server',
  'dictionary.add.description': 'Add or change a word and its pronunciation',
  'dictionary.remove.description': 'Remove a word from the dictionary',
  'dictionary.remove.word': 'Type the written word and pick it',
  'dictionary.list.description': 'Show all words, and change or remove them',
  'dictionary.test.description': 'Hear a text with the dictionary applied; outside voice channels, see it instead',
  'dictionary.test.text': 'The text to try',
  'dictionary.import.description': 'Add words from a file, such as one from /dictionary export',
  'dictionary.import.file': 'JSON, CSV, or tab-separated: written, spoken',
  'dictionary.import.how': 'What happens to existing words (default: keep them)',
  'dictionary.import.merge': 'keep them and add the words from the file',
  'dictionary.import.replace': 'replace them with the words from the file',
  'dictionary.export.description': 'Download all words as a file',
  'dictionary.export.format': 'File format (default: JSON)',
  'dictionary.export.tsv': 'table (tab-separated)',
  'dictionary.form-add': 'Add a word',
  'dictionary.form-edit': 'Change a word',
  'dictionary.form-from': 'Written',
  'dictionary.form-to': 'Spoken',
  'dictionary.form-to-hint': 'Leave empty to skip the word',
  'dictionary.form-where': 'Match',
  'dictionary.form-whole': 'Whole words only',
  'dictionary.form-part': 'Inside other words, too',
  'dictionary.form-case': 'Upper and lower case',
  'dictionary.form-any-case': 'Ignore case',
  'dictionary.form-exact-case': 'Match case',
  'dictionary.entry':
    '“{from}” is {to}{part, select, yes {, inside other words, too} other {}}{exact, select, yes {, matching case} other {}}',
  'dictionary.as': 'spoken as “{to}”',
  'dictionary.as-nothing': 'skipped',
  'dictionary.added': '{after} (was read as written).',
  'dictionary.changed': '{after} (was {before}).',
  'dictionary.unchanged': 'Unchanged: {after}.',
  'dictionary.removed': 'Removed: {before}. It’s read as written again.',
  'dictionary.no-such': '“{word}” isn’t in the dictionary. See /dictionary list.',
  'dictionary.blocked':
    '“{from}” can’t be spoken as “{to}”: the server blocks a word in that. Choose another spoken form.',
  'dictionary.gone': 'That word was changed or removed in the meantime, so nothing was changed. See /dictionary list.',
  'dictionary.exists': 'There is already an entry for “{from}”, so nothing was changed. Change that one instead.',
  'dictionary.title': '## Pronunciation in this server',
  'dictionary.empty': 'There are no words yet. Add the first one with /dictionary add.',
  'dictionary.remove': 'Remove words',
  'dictionary.reads': 'It’s spoken as: “{text}”',
  'dictionary.reads-hint': '-# Join a voice channel, then use /dictionary test to hear it.',
  'dictionary.imported':
    'Imported: {added, number} added, {changed, number} changed, {removed, number} removed. Now {after, plural, one {# word} other {# words}}; before {before, plural, one {# word} other {# words}}.',
  'dictionary.header': '-# The first line names the columns, so it wasn’t imported: {line}',
  'dictionary.imported-added': '-# Added: {words}. To remove any of them: /dictionary list.',
  'dictionary.imported-before': '-# The attached file has the dictionary as it was before.',
  'dictionary.import-wrong': 'That file has errors, so nothing was changed:',
  'dictionary.exported':
    'The dictionary as a file: {count, plural, one {# word} other {# words}}. Use /dictionary import to restore it.',

  'moderation.kind.command': 'command',
  'moderation.kind.message': 'message',
  'moderation.kind.auto-read': 'read from chat',
  'moderation.kind.file': 'file',
  'moderation.kind.voice-message': 'voice message',
  'moderation.kind.replay': 'replayed',
  'moderation.outcome.spoken': 'spoken',
  'moderation.outcome.stopped': 'stopped early',
  'moderation.outcome.removed': 'removed from the queue',
  'moderation.outcome.saved': 'saved',
  'moderation.outcome.blocked': 'rejected for a blocked word',
  'moderation.outcome.failed': 'not spoken in full',
  'moderation.outcome.unspoken': 'not spoken',
  'moderation.outcome.unmade': 'not created',
  'moderation.by': ' by {member}',
  'moderation.bleeped': ', with a blocked word bleeped',
  'moderation.cause.muted': 'the member was muted',
  'moderation.cause.opted-out': 'the message’s author opted out of being read',
  'moderation.cause.role': 'the member’s roles don’t allow it',
  'moderation.cause.blocked': 'a word in it was blocked meanwhile',
  'moderation.cause.limit': 'over a daily limit',
  'moderation.cause.stopping': 'the bot was restarted',
  'moderation.cause.kicked': 'the bot was disconnected',
  'moderation.cause.channel-gone': 'the voice channel was deleted',
  'moderation.cause.nobody-listening': 'no one was listening',
  'moderation.cause.paused-too-long': 'paused for too long',
  'moderation.cause.audience': 'the bot was moved to the audience',
  'moderation.cause.connection': 'voice connection problem',
  'moderation.cause.content': 'the speech service rejected its content',
  'moderation.cause.speech': 'speech service problem',
  'moderation.where': ', in {channel}',
  'moderation.credits': ', {credits, plural, =0 {no credits} one {# credit} other {# credits}}',
  'lines.more': '-# … and {count, plural, one {one more} other {# more}}.',
  'moderation.no-channel':
    'The moderation log channel {channel} no longer exists, or the bot can’t see it. Choose another one with /settings panel.',
  'moderation.seen-by-all':
    '⚠️ Everyone in this server can see {channel}, so everyone can read the moderation log. Choose a channel that only moderators can see.',
  'moderation.not-allowed':
    'The bot can’t write the moderation log: it’s missing View Channel or Send Messages in {channel}. Allow that, or choose another channel with /settings panel.',

  'blocked.refused': 'This text wasn’t spoken: the server blocks “{rule}”. Use other words.',
  'blocked.style': 'This style has a word that this server blocks. Choose another one.',
  'blocked.emoji':
    'Emoji are blocked by the words they’re spoken with, which differ by language. Enter these words; outside a voice channel, /dictionary test shows them.',
  'blocked.star-inside':
    'A * works only at the start or end of a word. Write the word out; put each of several words on its own line, or separate them with commas.',
  'blocked.empty': 'A word needs at least one letter or character besides the * at its ends.',
  'blocked.too-long': 'A word can have up to {limit, number} characters; this one has {length, number}. Shorten it.',
  'blocked.too-short':
    'With *, a word needs at least {least, number} letters, or it would match almost every text. Remove the *, or add letters.',

  'join.failed':
    'The bot couldn’t join {channel}: Discord didn’t let it in. Try again; if it keeps failing, check the bot’s permissions there.',
  'join.busy': 'The bot couldn’t join {channel}: it’s joining many channels right now. Try again in a minute.',
  'join.no-answer':
    'The bot couldn’t join {channel}: Discord’s voice server didn’t respond in time. Try again in a minute.',
  'join.no-udp':
    'The bot couldn’t join {channel}: no reply over UDP. A firewall or the network the bot runs in blocks UDP; tell the bot’s owner.',
  'join.no-ipv4':
    'The bot couldn’t join {channel}: the machine it runs on has no IPv4, which Discord’s voice needs. Tell the bot’s owner.',
  'join.given-up':
    'The bot stopped joining {channel} because someone told it to leave or move. Use /join to try again.',
  'join.encryption':
    'The bot couldn’t set up encryption with Discord for the call in {channel}. Tell the bot’s owner: the program doctor shows why.',
  'audio.refused':
    'The audio is at an address the bot isn’t allowed to download from. The bot’s owner should check the log and AUDIO_HOSTS.',
  'audio.unreachable': 'The audio was generated but couldn’t be downloaded. Try again in a minute.',
  'audio.cut-off': 'The audio cut out, so only part of this was read. Try again in a minute.',
  'audio.unplayable': 'The audio was generated but can’t be played. Try another voice, and tell the bot’s owner.',
  'audio.too-large': 'The audio is longer than the bot can play at once. Use a shorter text.',
  'audio.too-short':
    'The voice said nothing, or only a little of this text. Try again, or try another voice or other words.',
  'audio.endless':
    'The voice didn’t stop: the audio was far longer than the text and was cut off. Try another voice or other words.',
  'play.kicked':
    'The bot was disconnected from {channel}, so this wasn’t spoken{heard, select, part { in full} other {}}.',
  'play.channel-gone': 'The voice channel was deleted, so this wasn’t spoken{heard, select, part { in full} other {}}.',
  'play.connection-lost':
    'The connection to the voice channel was lost, so this wasn’t spoken{heard, select, part { in full} other {}}. Try again.',
  'play.unheard':
    'The bot couldn’t join the end-to-end encrypted call in {channel}, even after rejoining, so no one heard this. Try again in a minute.',
  'play.encryption-lost':
    'The bot lost the end-to-end encryption of the call in {channel}, so this wasn’t heard in full. Try again in a minute.',
  'play.unanswered': 'Discord didn’t accept the bot’s reply in time, so this wasn’t read. Try again.',
  'play.nobody-listening':
    'No one is listening in {channel}, so this wasn’t spoken{heard, select, part { in full} other {}}.',
  'play.stopped': 'Removed from the queue.',
  'play.skipped': 'Skipped{by, select, requester {} other { by <@{by}>}}: “{text}”',
  'play.stopped-current': 'Stopped{by, select, requester {} other { by <@{by}>}}: “{text}”',
  'play.removed': 'Removed from the queue{by, select, requester {} other { by <@{by}>}}: “{text}”',
  'play.paused-too-long':
    'The bot left after a long pause, so this wasn’t spoken{heard, select, part { in full} other {}}.',
  'play.held-back':
    'The bot couldn’t be heard in {channel}: it joined without the Speak permission, so it left. If it has that permission now, use /say again.',
  'play.put-into-audience':
    'A moderator moved the bot to the audience of {channel}, so this wasn’t spoken{heard, select, part { in full} other {}}. Use /say again, and it will request to speak.',
  'play.server-left': 'The bot was removed from the server.',

  'resumed.later':
    '{isOver, select, yes {Discord closed the bot’s connection: tell the bot’s owner, the log says what to do.} other {The bot is restarting.}} {billed, select, begun {It stopped in the middle of this; when it’s back, you can have it spoken again.} maybe {This was still being generated, and won’t be generated again unless you ask.} other {It will speak this if it’s back within ten minutes and someone is still listening.}}',
  'resumed.spoken': 'Spoken in {channel}. The bot restarted right after.',
  'resumed.failed':
    'This wasn’t spoken{heard, select, nothing {} other { in full}}, and the bot restarted right after.',
  'resumed.not-spoken': 'The bot restarted, so this wasn’t spoken{heard, select, nothing {} other { in full}}.',
  'resumed.too-late':
    'The bot was away for too long, so this wasn’t spoken{heard, select, nothing {} other { in full}}.',
  'resumed.nobody':
    'The bot restarted. No one is listening in {channel} anymore, so this wasn’t spoken{heard, select, nothing {} other { in full}}.',
  'resumed.maybe-billed': 'The bot restarted while generating this, so it isn’t generated again unless you ask.',
  'resumed.file': 'The bot restarted while making this. Use the command again.',
  'resumed.messages':
    '-# The bot restarted: {count, plural, one {# message wasn’t} other {# messages weren’t}} read aloud.',

  // Reasons why the bot left a voice channel, posted in the channel where members last used the bot
  'left.idle': 'Left {channel}: nothing was said for a while. Use /say or /join to bring the bot back.',
  'left.paused-too-long': 'Left {channel}: speech was paused for too long. Use /say to continue.',
  'left.kicked': 'Left {channel}: someone disconnected the bot. Use /say or /join to bring it back.',
  'left.channel-gone': 'Left the voice channel: it was deleted. Join another one and use /say there.',
  'left.connection-lost': 'Left {channel}: the connection was lost. Use /say or /join to bring the bot back.',
  'left.not-allowed': 'Left {channel}. {why}',

  'kept.own-settings':
    '**Your voice**: the voices, languages, style, speed, temperature and spoken name you set with /voice, by your user ID, in the bot’s database until you reset them.',
  'kept.own-settings.now': 'settings from /voice, in {places, plural, one {# place} other {# places}}',
  'kept.use':
    '**Your usage**: {free, select, yes {how much you had spoken} other {how many credits you used}} and how many texts were {free, select, yes {cached} other {free}}, by day, server and user ID, in the bot’s database until the end of the next month.{free, select, yes {} other { Limits are based on it.}}',
  'kept.use.credits': '{credits, plural, one {# credit} other {# credits}} used',
  'kept.use.counted': 'what was counted',
  'kept.use.now': '{what} this month and last month',
  'kept.use.today': '{what} today{ends, select, yes {, until 00:00 UTC} other {}}',
  'kept.use.before': '{what} before today',
  'kept.queue':
    '**What you say**: the text and its audio, in memory while it’s queued and for up to 15 minutes after, so it can be replayed and buttons still work. Until it’s read, for up to ten minutes, the text is also on disk, encrypted, so it survives a restart. Where you asked is kept until the reply is final, for up to a day.',
  'kept.queue.waiting': '{count, plural, one {# text} other {# texts}} in the queue',
  'kept.queue.spoken': '{count, plural, one {# text} other {# texts}} spoken recently',
  'kept.queue.offered':
    '{count, plural, one {# text} other {# texts}} kept so that a button such as “Try again” still works',
  'kept.queue.elsewhere': 'what other processes of the bot may still have in their queues',
  'kept.opt-out':
    '**Your opt-out**: that you used /opt-out and when, by your user ID, in the bot’s database until you undo it.',
  'kept.opt-out.now': 'the opt-out from being read and announced',
  'kept.sound':
    '**Audio**: what was spoken, without its text or who said it, under a code that can’t be traced back: in memory and on disk, for {days, number} days. This way the same text is only {free, select, yes {generated once.} other {paid for once. The encrypted address of paid audio is kept for 15 minutes.}}',
  'kept.moderation-log':
    '**Moderation log**: only if admins chose a channel for it. It shows who had a text spoken and when, its kind, length, voice, channel{free, select, yes { and outcome} other {, outcome and credits}}, until someone deletes it there. Never the text.',
  'kept.server-settings':
    '**Server settings**: what admins set with /settings, with the IDs of roles and channels and of muted members, until they reset it.',
  'kept.server-settings.now': 'settings of this server: {count, number}',
  'kept.dictionary':
    '**Dictionary**: how words are pronounced in a server, as its admins entered it, until they delete it.',
  'kept.dictionary.now': 'dictionary of this server: {entries, plural, one {# entry} other {# entries}}',
  'kept.notices':
    '**Notices**: that the bot introduced itself, and when it left, by server ID. All data of a server is deleted 30 days after the bot leaves.',
  'kept.bot':
    '**About the bot**: where its commands are registered{free, select, yes {} other {, how many credits are left, and what a model costs}}. About people, only the language its owners use, in memory.',

  'privacy.description': 'What data the bot stores about you, where, and for how long',
  'privacy.title':
    '**What this bot stores.** The bot’s database is on the disk of the machine it runs on. Nothing people say is stored, except as listed here.',
  'privacy.yours':
    '  - Now: {what, select, nothing {nothing.} unknown {unknown, because the bot’s database is unavailable.} other {{what}.}}',
  'privacy.log':
    'The bot’s owner has a log: commands, times, voices, costs, errors, and the IDs of users, servers and channels, but never what was said.',
  'privacy.sent': 'Texts are sent to the speech service, which turns them into speech.',
  'privacy.made-here':
    'The speech service runs next to the bot and turns texts into speech itself: they aren’t sent to any other service.',
  'privacy.replies': 'The bot’s replies stay in Discord, with the texts they quote, until someone deletes them there.',
  'privacy.forget': '/forget deletes your data.',
  'privacy.forget-server': 'You manage this server: /forget server:True deletes its data.',

  'forget.description': 'Delete the data the bot stores about you',
  'forget.server': 'Delete this server’s data instead (needs Manage Server)',
  'forget.ask':
    'This will be deleted{whose, select, server { for everyone in this server} other {, for all servers}}, and can’t be undone:',
  'forget.wish': '- {what} (optional)',
  'forget.yes': 'Delete',
  'forget.yes-opt-out': 'Delete the opt-out{also, select, yes {, too} other {}}',
  'forget.nothing':
    'There is nothing of yours to delete. A server’s settings may still name you, for example as muted: see /privacy.',
  'forget.nothing-left': 'That was already done: there’s nothing left here to delete.',
  'forget.nothing-here': 'There is nothing of this server to delete.',
  'forget.nothing-at-once': 'There is nothing to delete right away.',
  'forget.deleted': 'Deleted:',
  'forget.today':
    '{asked, select, yes {If you press Delete, this is kept only until the end of the day, at 00:00 UTC} other {Deleted at the end of the day, at 00:00 UTC}}{free, select, yes {} other {, since today’s limits are based on it}}: {what} today{whose, select, server { in this server} other {}}.',
  'forget.left': 'This couldn’t be deleted, because the bot’s database is unavailable. Try again in a minute:',

  'welcome.hello': '**Hi! I read your messages aloud in voice channels.**',
  'welcome.members':
    'Join a voice channel and try /say. See /help for everything else, and /privacy for what’s stored.',
  'welcome.admins': 'Admins: four quick steps set the bot up, all optional.',
  'welcome.begin': 'Set up',
  'setup.description': 'Set up the bot in four steps: voice, reading aloud, who and where, limits',
  'setup.voice': '**Step 1 of 4: the voice.** Which voice speaks, unless a member chooses another one?',
  'setup.voice.more':
    '-# There are {count, number} voices in total: /voices lists and plays them and can make any the default.',
  'setup.language': '-# The bot says emoji names, links and who says something in this language.',
  'setup.reading':
    '**Step 2 of 4: reading aloud.** Which channels’ messages are read aloud to those in voice? Members can use /say in any case.',
  'setup.people':
    '**Step 3 of 4: who and where.** Choose the roles that can use the bot, and the channels for it. If you choose nothing: everyone, everywhere.',
  'setup.limits':
    '**Step 4 of 4: limits.** {counted, select, nothing {The voice is free, so these only cover texts and the queue.} other {{counted, select, characters {Characters are} other {Credits are}} counted per day; the bot’s owner has set limits as well.}}',
  'setup.summary': '**Done.** Your settings for this server:',
  'setup.summary.nothing': '- Nothing changed: everything is at its default.',
  'setup.summary.more': 'Everything else: /settings panel. What members can do: /help. To run this again: /setup.',
  'setup.next': 'Keep and go on',
  'setup.finish': 'Keep and finish',
  'setup.back': 'Back',

  'owner.description': 'For the bot’s owner',
  'owner.no-server': 'No server “{server}” found. Pick one from the list.',
  'owner.status.description': 'Show the bot’s status',
  'owner.status.title': '**Crier {version}**, started {since}.',
  'owner.status.draining': 'It’s shutting down: no new texts are accepted.',
  'owner.status.lost-audio':
    '- **Paid audio from {models} doesn’t arrive.** The bot has stopped paying for it and tests it now and then. See the log.',
  'owner.status.check.discord': 'connection to Discord',
  'owner.status.check.commands': 'commands',
  'owner.status.check.store': 'database',
  'owner.status.check.speech': 'speech service',
  'owner.status.check.joining': 'joining voice channels',
  'owner.status.trouble': '- **{name}: problem** (`{state}`). See the log.',
  'owner.spending.description': 'What was used today and this month, in all and by server and member',
  'owner.spending.total':
    'All servers: {today} of {limit, number} used today, {month, number} this month. Daily limits reset {when}.',
  'owner.spending.total-unlimited': 'All servers: {today} used today, {month, number} this month.',
  'owner.spending.unknown':
    'Of today’s credits, about {credits, plural, one {# is} other {# are}} for {requests, plural, one {# request} other {# requests}} without a response. The service may still have billed for that.',
  'owner.spending.free': 'The voice is free: its characters are only counted.',
  'owner.spending.none': 'Nothing was used this month.',
  'owner.spending.servers': 'By server:',
  'owner.spending.members': 'By member:',
  'owner.spending.line': '{rank, number}. {name}: {today, number} today, {month, number} this month',
  'owner.spending.left': 'a server the bot has left, or of another process',
  'owner.spending.outside':
    'Direct messages, and servers with deleted data: {today, number} today, {month, number} this month',
  'owner.forget.description': 'Delete the data about a member who asked for it',
  'owner.forget.user': 'The member, or their ID if they have left',
  'owner.forget.about': 'Data about {user} (`{id}`):',
  'owner.forget.nothing':
    'There is nothing to delete. A server’s settings may still name them, for example as muted: its managers can change that.',
  'owner.leave.description': 'Make the bot leave a server',
  'owner.leave.server': 'Type its name or ID and pick it',
  'owner.leave.ask':
    'Leave {server}, with {members, plural, one {# member} other {# members}}? Its data is deleted after 30 days, unless the bot is invited again.',
  'owner.leave.yes': 'Leave server',
  'owner.leave.done': 'Left {server}.',

  'store.failed':
    'The bot’s database is unavailable, so nothing was changed, and nothing can be shown or spoken. Try again in a minute; if it keeps failing, tell the bot’s owner.',
  'store.unread': 'The bot’s database is unavailable, so usage is unknown. New texts are rejected until it’s back.',
  'failed.unexpected': 'Something went wrong. Try again; if it keeps happening, give the bot’s owner this code:',
  'failed.answer-refused':
    'Discord rejected the bot’s reply, so it can’t be shown. Try again; if it keeps failing, tell the bot’s owner.',

  'failed.part': 'Stopped at part {part, number} of {parts, number}, which couldn’t be generated.',
  'failed.credits-used': '{used, plural, one {# credit was} other {# credits were}} used.',
  'failed.credits-unknown': 'Credits may have been used.',
  'failed.credits-maybe-more': 'The part that was still being generated may cost more.',
  'failed.credits-none': 'No credits were used.',
} as const;

export type TextKey = keyof typeof en;

type WordlessKey = keyof typeof WORDLESS;

export type Catalog = Readonly<Record<Exclude<TextKey, WordlessKey>, string> & Partial<Record<WordlessKey, string>>>;
