import { SPEED_RANGE, TEMPERATURE_RANGE } from '../speech/interface/models.ts';
import type { Catalogue } from './keys.ts';

/** German, in the words of Discord's own German client. Commands and options keep their English names. */
export const de: Catalogue = {
  'language.own-name': 'Deutsch',

  // Parts of other texts
  'voice.label': '{name} ({model})',
  'credits.used-and-left':
    '-# {used, plural, one {# Credit} other {# Credits}} verbraucht, {left, plural, one {# Credit} other {# Credits}} übrig.',
  'credits.used-and-left-local':
    '-# {used, plural, one {# Credit} other {# Credits}} verbraucht, {left, plural, one {# Credit} other {# Credits}} übrig. Die Stimme läuft lokal: Das kostet nichts.',
  'spent.used': '-# {used, plural, one {# Credit} other {# Credits}} verbraucht.',
  'spent.maybe-more': '-# Was beim Stoppen gerade erzeugt wurde, kostet vielleicht noch etwas.',
  'spent.cached': '-# Schon einmal erzeugt und noch vorrätig: keine Credits verbraucht.',
  'list.separator': ', ',
  'parameter.voice': 'Stimme',
  'parameter.style': 'Stil',
  'parameter.speed': 'Tempo',
  'parameter.temperature': 'Temperatur',
  'parameter.seed': 'Seed',
  'parameter.format': 'Format',
  'source.option': 'wie du es angegeben hast',
  'source.forced': 'auf diesem Server statt der eigenen festgelegt',
  'source.own-here': 'deine eigene Wahl auf diesem Server',
  'source.own-everywhere': 'deine eigene Wahl überall',
  'source.server': 'Standard dieses Servers',
  'source.bot': 'Standard des Bots',

  // /say
  'say.description': 'Einen Text in deinem Sprachkanal sprechen, oder als Datei oder Sprachnachricht geben',
  'say.text': 'Was gesprochen werden soll',
  'say.voice': 'Tippe Name, Modell oder Sprache und wähle eine Stimme; sonst spricht deine übliche',
  'say.style': 'Wie es klingen soll, zum Beispiel: geflüstert. Nur manche Stimmen',
  'say.speed': `Wie schnell: 1 ist normal, ${SPEED_RANGE.min} am langsamsten, ${SPEED_RANGE.max} am schnellsten. Nur manche Stimmen`,
  'say.temperature': `Wie frei: ${TEMPERATURE_RANGE.min} am gleichmäßigsten, ${TEMPERATURE_RANGE.max} am lebhaftesten. Nur manche Stimmen`,
  'say.seed': 'Eine Zahl, mit der derselbe Text wieder gleich klingt. Nur manche Stimmen',
  'say.format': 'Welche Art Audio vom Sprachdienst verlangt wird',
  'say.spoken': 'Gesprochen in {channel} mit {voice}: „{text}“',
  'say.stopped': 'Vor dem Ende gestoppt, in {channel} mit {voice}: „{text}“',
  'say.default-gone':
    '-# Die Standardstimme dieses Servers, {voice}, gibt es nicht mehr; deshalb sprach die Standardstimme des Bots.',
  'say.own-gone':
    '-# Deine eigene Stimme, {voice}, gibt es nicht mehr; deshalb spricht eine andere. Wähle neu mit /voice set.',
  'say.ignored': '-# {voice} kennt das nicht, es blieb weg: {parameters}.',
  'say.channel': 'In welchem Sprachkanal gesprochen wird; sonst in deinem',
  'say.as': 'Im Sprachkanal gesprochen, oder als Audiodatei oder Sprachnachricht; sonst gesprochen',
  'say.as.voice': 'im Sprachkanal',
  'say.as.file': 'Audiodatei',
  'say.as.voice-message': 'Sprachnachricht',
  'say.form': 'Einen langen Text sprechen',
  'say.form-text': 'Was gesprochen werden soll',
  'say.form-hint': 'Bis zu 4.000 Zeichen, ohne Unterbrechung gesprochen.',
  'say.confirm':
    'Das ist ein langer Text: {characters, plural, one {# Zeichen wird} other {# Zeichen werden}} berechnet. {as, select, voice {Soll er gesprochen werden?} file {Soll die Datei erstellt werden?} other {Soll die Sprachnachricht erstellt werden?}}',
  'say.confirm-about':
    'Das ist ein langer Text: {characters, plural, one {# Zeichen wird} other {# Zeichen werden}} berechnet, etwa {about, plural, one {# Credit} other {# Credits}}. {as, select, voice {Soll er gesprochen werden?} file {Soll die Datei erstellt werden?} other {Soll die Sprachnachricht erstellt werden?}}',
  'say.confirm-yes': '{as, select, voice {Sprechen} file {Datei erstellen} other {Sprachnachricht erstellen}}',
  'say.again': 'Noch einmal versuchen',
  'say.edit': 'Text bearbeiten',
  'say.skip': 'Überspringen',
  'say.stop': 'Stoppen',
  'say.replay': 'Noch einmal sprechen',
  'say.save': 'Als Datei speichern',
  'say.waiting': '-# Wartet an Position {position, number}.',
  'say.waiting-for': '-# Wartet an Position {position, number}, noch etwa {wait}.',
  'say.joining': '-# Tritt {channel} bei …',
  'say.raising-hand':
    '-# Bittet in {channel} ums Wort: Jemand aus der Moderation der Stage muss den Bot zum Sprechen einladen …',
  'say.synthesising': '-# Die Sprache wird erzeugt …',
  'say.busy': '-# Der Sprachdienst ist überlastet: seit {seconds, number} s wird es versucht …',
  'say.synthesising-part': '-# Die Sprache wird erzeugt: Teil {part, number} von {parts, number} …',
  'say.speaking': '-# Spricht in {channel} mit {voice}: „{text}“',
  'say.speaking-part': '-# Spricht Teil {part, number} von {parts, number} in {channel} mit {voice}: „{text}“',
  'say.paused': '-# Angehalten in {channel}. Weiter geht es mit /resume.',
  'say.billed':
    '-# {characters, plural, one {# Zeichen wird} other {# Zeichen werden}} berechnet, in {parts, number} Teilen.',
  'say.file': 'Mit {voice}: „{text}“',
  'say.voice-message': 'Gesendet mit {voice}: „{text}“',
  'say.voice-message-refused':
    '-# Discord nimmt vom Bot hier keine Sprachnachricht an, darum ist dies eine Datei. Auf einem Server braucht der Bot das Recht „Sprachnachrichten senden“.',
  'say.no-voice-here':
    'Hier gibt es keinen Sprachkanal. Wähle in der Option as von /say „Audiodatei“ oder „Sprachnachricht“.',
  'say.text-too-slow':
    'Das wurde nicht gesprochen: Es zu durchsuchen dauerte zu lange. Schreib es mit weniger oder einfacheren Zeichen.',
  'say.texts-busy': 'Gerade werden zu viele lange Texte durchsucht. Versuch es in ein paar Sekunden noch einmal.',
  'say.too-long':
    'Dieser Text ist zu lang: Er hat {length, number} Zeichen, und dieser Server erlaubt {limit, number}. Kürze ihn.',
  'say.empty': 'In diesem Text ist nichts zu sprechen: Er braucht einen Buchstaben, eine Ziffer oder ein Emoji.',
  'say.silenced':
    'Das Wörterbuch dieses Servers lässt von diesem Text nichts zu sprechen übrig. Nimm andere Wörter, oder bitte jemanden, der den Server verwaltet, es mit /dictionary list zu ändern.',

  // Message commands, and what can be kept
  'speak-message.description': 'Diese Nachricht mit deiner Stimme in deinem Sprachkanal sprechen',
  'save-speech.description': 'Dir diese Nachricht als Audiodatei geben, mit deiner Stimme',
  'speak-message.bots-own':
    'Diese Nachricht ist vom Bot selbst. Was gesprochen wurde, hörst du mit „Noch einmal sprechen“ darunter oder mit /replay; „Als Datei speichern“ gibt es dir als Datei.',
  'save.saved': 'Gespeichert: „{text}“',

  // /voices
  'voices.description': 'Zeigen, welche Stimmen es gibt',
  'voices.search': 'Nur Stimmen zeigen, auf die ein Name, ein Modell oder eine Sprache passt',
  'voices.model-option': 'Nur die Stimmen dieses Modells zeigen',
  'voices.language-option': 'Nur die Stimmen zeigen, die diese Sprache sprechen',
  'voices.title': '{count, plural, one {# Stimme} other {# Stimmen}} zur Auswahl:',
  'voices.found': '{count, plural, one {# Stimme passt} other {# Stimmen passen}} zu „{search}“:',
  'voices.left': '{count, plural, one {# Stimme} other {# Stimmen}} dieser Art:',
  'voices.line': '- **{name}** ({model}), {language}{style, select, yes {, mit Stil} other {}}',
  'voices.any-language': 'jede Sprache',
  'voices.every-model': 'Alle Modelle',
  'voices.every-language': 'Alle Sprachen',
  'voices.count': '{count, plural, one {# Stimme} other {# Stimmen}}',
  'voices.option': '{model} · {language}',
  'voices.choose': 'Stimme auswählen, um sie anzuhören oder zu übernehmen',
  'voices.hint':
    '-# Wähle unten eine aus, um sie anzuhören oder zu übernehmen, oder tippe ihren Namen in die Option voice von /say.',
  'voices.none':
    'Keine Stimme passt zu „{search}“. Suche nach etwas Kürzerem, oder nutze /voices allein für die ganze Liste.',
  'voices.none-left': 'Keine Stimme ist von dieser Art. Wähle ein anderes Modell oder eine andere Sprache.',
  'voices.none-both':
    'Es gibt Stimmen, die zu „{search}“ passen, aber keine in diesem Modell und dieser Sprache. Wähle ein anderes Modell oder eine andere Sprache.',
  'voices.unknown-model': 'Es gibt keine Stimme eines Modells „{model}“. /voices allein zeigt, welche Modelle es gibt.',
  'voices.unknown-language':
    'Der Bot kennt keine Sprache „{language}“. Wähle eine aus der Liste, oder gib ihren Namen oder ihr Kürzel ein, etwa Deutsch oder de.',
  'voices.gone': 'Diese Stimme gibt es nicht mehr. Mit /voices siehst du, welche es gibt.',
  'voices.card':
    '**{name}**\nModell: {model}\nSprache: {language}\nFormate: {formats}\nStil: {style, select, yes {kann angegeben werden} other {nicht möglich}}',
  'voices.preview': 'Anhören',
  'voices.use-mine': 'Als meine übernehmen',
  'voices.use-default': 'Als Serverstandard übernehmen',
  'voices.sample': 'Hallo! So klinge ich. Ich hoffe, es gefällt dir.',
  'voices.previewed': 'Das war {voice}.',
  'voices.stale': '-# Der Sprachdienst antwortet gerade nicht; diese Liste ist von {since}.',

  // /tags
  'tags.description': 'Zeigen, welche Sprech-Tags eine Stimme versteht',
  'tags.voice': 'Die Stimme; sonst die, mit der du üblicherweise sprichst',
  'tags.none':
    '{voice} versteht keine Tags: Sie würde sie vorlesen. Suche mit /voices eine andere Stimme, oder nutze die Option style von /say, wo eine Stimme sie kennt.',
  'tags.square':
    '{voice} versteht Tags in eckigen Klammern, in deinen eigenen Worten, dort, wo sie wirken sollen: `[whispering]`, `[cheerful]`, `[pause]`.',
  'tags.angle':
    '{voice} versteht kurze Tags in spitzen Klammern, in deinen eigenen Worten, dort, wo man sie hören soll: `<sigh>`, `<short pause>`. Wie der ganze Text klingen soll, kommt in die Option style von /say.',
  'tags.closed': '{voice} versteht diese Tags.',
  'tags.instant': 'An ihrer Stelle: {tags}',
  'tags.wrapping': 'Um Wörter herum: {tags}',
  'tags.hint':
    '-# Schreibe sie in den Text von /say. Sie zählen als Zeichen; ein falsch geschriebenes Tag wird vorgelesen.',
  'tags.sample-square': '[cheerful] Hallo! [whispering] Das ist ein Geheimnis. [pause] Und jetzt kennst du es.',
  'tags.sample-angle': 'Tja. <sigh> Da ist es wieder. <short pause> Was machen wir jetzt?',
  'tags.sample-closed': 'Hallo! [chuckle] <whisper>Das ist ein Geheimnis.</whisper> [pause] Und jetzt kennst du es.',

  // /voice
  'voice.description': 'Festlegen, womit du sprichst',
  'voice.set.description': 'Stimme, Stil, Tempo oder Temperatur für alles festlegen, was du sagst',
  'voice.set.voice': 'Tippe Name, Modell oder Sprache und wähle die Stimme, die du nehmen willst',
  'voice.show.description': 'Zeigen, womit du sprichst und woher jeder Wert kommt',
  'voice.reset.description': 'Zurücksetzen, was du festgelegt hast',
  'voice.reset.what': 'Was zurückgesetzt wird; sonst alles',
  'voice.where': 'Wo es gilt; sonst auf diesem Server',
  'voice.where.here': 'auf diesem Server',
  'voice.where.everywhere': 'überall',
  'voice.style': '„{style}“',
  'voice.number': '{value, number}',
  'voice.unset': 'keine eigene Wahl',
  'voice.set.kept':
    '{where, select, here {Festgelegt für alles, was du auf diesem Server sagst:} other {Festgelegt für alles, was du auf allen Servern sagst:}}',
  'voice.set.changed': '- {parameter}: {after}. Vorher: {before}.',
  'voice.set.unchanged': '- {parameter}: {after}, wie vorher.',
  'voice.set.nothing': 'Gib an, was du festlegen willst: eine Stimme, einen Stil, ein Tempo oder eine Temperatur.',
  'voice.set.shadowed':
    '-# Hier geht vor, was du für diesen Server festgelegt hast: {parameters}. /voice reset setzt das zurück.',
  'voice.set.overruled': '-# Auf diesem Server spricht trotzdem {voice} ({source}).',
  'voice.show.title-direct': 'Womit du überall sprichst, wo du nichts anderes gewählt hast:',
  'voice.show.title': 'Womit du auf diesem Server sprichst:',
  'voice.show.value': '- {parameter}: {value} ({source})',
  'voice.show.unset': '- {parameter}: wie die Stimme es vorgibt',
  'voice.show.gone': '-# Die gewählte Stimme, {voice}, gibt es nicht mehr ({source}).',
  'voice.show.hint': '-# Ändere es mit /voice set, setz es zurück mit /voice reset. Was du bei /say angibst, geht vor.',
  'voice.reset.done':
    '{where, select, here {Zurückgesetzt auf diesem Server:} other {Zurückgesetzt auf allen Servern:}}',
  'voice.reset.value': '- {parameter}: hier jetzt {value} ({source}). Vorher: {before}.',
  'voice.reset.unset': '- {parameter}: hier jetzt wie die Stimme es vorgibt. Vorher: {before}.',
  'voice.reset.nothing':
    '{where, select, here {Auf diesem Server hast du nichts dergleichen festgelegt.} other {Für alle Server hast du nichts dergleichen festgelegt.}} Sieh nach mit /voice show.',

  // /credits
  'credits.description': 'Zeigen, wie viele Credits zum Sprechen übrig sind',
  'credits.left': '{left, plural, one {# Credit} other {# Credits}} übrig.',
  'credits.updated': 'Letzte Änderung: {when}.',
  'credits.left-local':
    '{left, plural, one {# Credit} other {# Credits}} übrig. Die Stimme läuft lokal neben dem Bot, und ihre Credits kosten nichts.',
  'credits.used':
    '- {who, select, here {Du auf diesem Server} everywhere {Du überall} server {Dieser Server} other {Alle Server zusammen}}: heute {today, plural, one {# Credit} other {# Credits}} von {limit, number} verbraucht, in diesem Monat {month, number}.',
  'credits.cached': '-# {month, plural, one {# Text} other {# Texte}} dieses Monats gab es schon; sie kosteten nichts.',
  'credits.renews': 'Die Tagesgrenzen gelten {when} von Neuem, um 00:00 UTC.',
  'credits.transaction': '-# Für dich als Eigentümer des Bots: letzte Buchung {when}: {type} {amount}. {description}',
  'credits.no-transaction': '-# Für dich als Eigentümer des Bots: Auf dem Konto gab es noch keine Buchung.',

  // To the owner, when the account runs low, or what was paid for is lost
  'account.low': '{left} {remedy} Das wird einmal gesagt; wieder erst, wenn Credits hinzugekommen und verbraucht sind.',
  'account.left':
    'Zum Sprechen {left, plural, =0 {sind keine Credits} one {ist nur noch # Credit} other {sind nur noch # Credits}} übrig.',
  'account.ran-out':
    'Ein Text konnte nicht gesprochen werden: Es {left, plural, =0 {sind keine Credits} one {ist nur noch # Credit} other {sind nur noch # Credits}} übrig.',
  'account.remedy': 'Lade das Konto beim Sprachdienst auf.',
  'account.remedy-url': 'Hier kannst du aufladen: {url}',
  'account.remedy-local': 'Die Stimme läuft lokal: Die README sagt unter „The voice“, wie sie mehr bekommt.',
  'account.lost-sounds':
    'Die letzten {lost, plural, other {# Texte}} mit dem Modell {model} wurden bezahlt und konnten nicht abgespielt werden. {why} Ab jetzt wird damit nichts mehr bezahlt, nur ein Versuch in wachsenden Abständen. Das wird einmal gesagt, und wieder, wenn es geht.',
  'account.sounds-arrive':
    'Was mit dem Modell {model} bezahlt wird, lässt sich wieder abspielen: Neue Texte werden gesprochen wie zuvor.',

  // /settings
  'settings.description': 'Ändern, wie sich der Bot auf diesem Server verhält',
  'settings.panel.description': 'Eine Übersicht mit allem öffnen, was auf diesem Server eingestellt werden kann',
  'settings.read.description': 'Vorlesen, was in einem Kanal geschrieben wird, oder damit aufhören',
  'settings.read.channel': 'Der Textkanal oder das Forum',
  'settings.read.on': 'Bei False wird er nicht mehr vorgelesen; sonst schon',
  'settings.mute.description': 'Für ein Mitglied nichts mehr sprechen lassen, oder wieder',
  'settings.mute.member': 'Das Mitglied',
  'settings.mute.on': 'False lässt das Mitglied wieder sprechen; sonst ist es stumm',
  'settings.mute.itself':
    'Das ist der Bot selbst, und er spricht nur für andere. Wähle ein Mitglied aus, oder schicke den Bot mit /leave weg.',
  'settings.managers-exempt': 'Wer den Server verwaltet, kann /say trotzdem nutzen.',
  'settings.limits.description': 'Zeigen oder begrenzen, wie viele Credits dieser Server am Tag ausgibt',
  'settings.limits.server': 'Credits am Tag für den ganzen Server, soweit der Eigentümer des Bots es erlaubt',
  'settings.limits.member': 'Credits am Tag für jedes Mitglied, soweit der Eigentümer des Bots es erlaubt',
  'settings.limits.hint':
    '-# So änderst du sie: /settings limits mit server oder member. So nimmst du sie zurück: /settings panel.',
  'settings.language.description':
    'Die Sprache der Ansagen zeigen oder wählen; Antworten folgen der Sprache jeder Person',
  'settings.language.language': 'Die Sprache ab jetzt; ohne Angabe siehst du die jetzige',
  'settings.language.reset': 'Zur Sprache zurückkehren, die der Server in Discord hat',
  'settings.language.hint':
    '-# So änderst du sie: /settings language mit einer Sprache. Zurück zu der des Servers in Discord: mit reset.',
  'settings.language.both':
    'Wähle eines von beiden: eine Sprache, oder reset, um zu der des Servers in Discord zurückzukehren.',
  'settings.changed': '{setting}: jetzt {after}. Vorher: {before}.',
  'settings.unchanged': 'Es hat sich nichts geändert.',
  'settings.title': '## Einstellungen dieses Servers',
  'settings.page.voices': 'Stimmen',
  'settings.page.people': 'Wer den Bot nutzen darf, und wo',
  'settings.page.limits': 'Grenzen und Ausgaben',
  'settings.page.reading': 'Nachrichten vorlesen, Ansagen',
  'settings.page.presence': 'Anwesenheit und Sprache',
  'settings.page.words': 'Gesperrte Wörter',
  'settings.page.data': 'Export, Import, Zurücksetzen',
  'settings.value': '**{setting}**: {value}',
  'settings.value-default': '**{setting}**: {value} (Standard des Bots)',
  'settings.turn-on': 'Einschalten: {setting}',
  'settings.turn-off': 'Ausschalten: {setting}',
  'settings.choose-default': 'Standardstimme …',
  'settings.choose-forced': 'Stimme statt der eigenen …',
  'settings.choose-manner': 'Stil und Tempo …',
  'settings.choose-voices': 'Erlaubte Stimmen …',
  'settings.choose-texts': 'Texte und Warteschlange …',
  'settings.choose-credits': 'Credits am Tag …',
  'settings.choose-times': 'Wann der Bot geht …',
  'settings.choose-words': 'Gesperrte Wörter …',
  'settings.voice-hint': 'Ein Name wie in /voices; leer heißt keine',
  'settings.forced-hint': 'Wie in /voices; leer: keine. Nur eine Stimme in /say geht vor, wenn sie erlaubt ist',
  'settings.voices-hint': 'Eine pro Zeile, wie in /voices; leer erlaubt alle',
  'settings.words-hint': 'Eines pro Zeile; * am Rand steht für Beliebiges',
  'settings.credits-hint': 'Nie mehr, als der Eigentümer des Bots erlaubt; leer: diese Grenze',
  'settings.seconds-hint': 'Sekunden; 0 heißt sofort, leer Standard des Bots',
  'settings.range': 'Von {min, number} bis {max, number}; leer: Standard des Bots',
  'settings.bad-number':
    '{setting}: Gib {whole, select, yes {eine ganze Zahl} other {eine Zahl}} von {min, number} bis {max, number} ein. Es wurde nichts geändert.',
  'settings.changed-meanwhile':
    '{setting}: Das hat inzwischen jemand anders geändert, deshalb wurde nichts geändert. Öffne das Formular noch einmal, um es zu sehen.',
  'settings.too-many': 'Das sind zu viele: höchstens {limit, number}. Es wurde nichts geändert.',
  'settings.reading-off':
    '-# Wer diesen Bot betreibt, hat das Vorlesen von Nachrichten nicht freigegeben (READ_MESSAGES); noch wird nichts vorgelesen.',
  'settings.reading-unseen':
    '-# Der Bot sieht {channels} nicht, dort wird also nichts vorgelesen. Gib ihm dort das Recht „Kanal anzeigen“.',
  'settings.dictionary-hint': '-# Wie Wörter ausgesprochen werden, stellst du mit /dictionary ein.',
  'settings.data':
    'Export gibt dir eine Datei mit allen Einstellungen dieses Servers. Import ersetzt sie durch die einer Datei. Zurücksetzen nimmt alles zurück und gibt dir eine Datei mit dem, was eingestellt war.',
  'settings.see-data': '⚠️ Manches, was eingestellt war, ließ sich nicht lesen: siehe Seite „{page}“.',
  'settings.unreadable':
    'Diese Version des Bots kann nicht lesen, was hier eingestellt war: {settings}. Beschränkungen darunter gelten am strengsten, das Übrige ist wie beim Bot voreingestellt. Wähle neu oder warte auf eine Version, die es lesen kann.',
  'settings.unreadable-all': 'alle Einstellungen',
  'settings.set-aside': 'Aufgehoben, als es nicht lesbar war, und jetzt lesbar: {settings}.',
  'settings.set-aside-hint':
    'Wiederherstellen setzt zurück, was lesbar ist. Verwerfen löscht all das endgültig: Was nicht lesbar ist, gilt dann als nie eingestellt, auch Beschränkungen.',
  'settings.restore': 'Wiederherstellen',
  'settings.discard': 'Verwerfen',
  'settings.export': 'Export',
  'settings.exported': 'Alle Einstellungen dieses Servers. Mit Import stellst du sie wieder her.',
  'settings.import': 'Import …',
  'settings.import-file': 'Datei',
  'settings.import-hint': 'Eine Datei aus dem Export; sie ersetzt alle Einstellungen',
  'settings.import-not-json':
    'Diese Datei ist kein JSON; es wurde nichts geändert. Nimm eine, die der Export erstellt hat.',
  'settings.import-wrong':
    'Diese Datei hat einen Fehler bei „{where}“: {problem}. Es wurde nichts geändert. Nimm eine, die der Export erstellt hat.',
  'settings.import-kind': 'dort muss etwas anderes stehen',
  'settings.import-unknown': 'diese Einstellung gibt es nicht',
  'settings.import-least': 'es muss mindestens {limit, number} sein',
  'settings.import-most': 'es darf höchstens {limit, number} sein',
  'settings.import-choice': 'möglich ist nur {choices}',
  'settings.reset': 'Zurücksetzen …',
  'settings.reset-sure':
    'Alle Einstellungen dieses Servers zurücknehmen? Du bekommst eine Datei mit dem, was eingestellt war.',
  'settings.reset-yes': 'Alles zurücksetzen',
  'settings.was-reset':
    'Alle Einstellungen sind wieder die des Bots. In dieser Datei steht, was eingestellt war: Import stellt es wieder her.',
  'upload.none': 'Es wurde keine Datei angegeben. Wähle eine und sende das Formular noch einmal.',
  'upload.too-large': 'Diese Datei ist zu groß: höchstens {kilobytes, number} kB. Es wurde nichts geändert.',
  'upload.not-text': 'Diese Datei ist kein Text; es wurde nichts geändert.',
  'upload.unreachable':
    'Die Datei ließ sich nicht von Discord abrufen; es wurde nichts geändert. Versuche es noch einmal.',

  // Settings by name
  'setting.defaultVoice': 'Standardstimme',
  'setting.style': 'Standardstil',
  'setting.speed': 'Standardtempo',
  'setting.temperature': 'Standardtemperatur',
  'setting.forcedVoice': 'Stimme statt der eigenen',
  'setting.allowedModels': 'Erlaubte Modelle',
  'setting.allowedVoices': 'Erlaubte Stimmen',
  'setting.allowedRoles': 'Nur diese Rollen',
  'setting.blockedRoles': 'Gesperrte Rollen',
  'setting.mutedMembers': 'Stumme Mitglieder',
  'setting.allowedChannels': 'Nur diese Kanäle',
  'setting.maxCharacters': 'Längster Text, in Zeichen',
  'setting.confirmAboveCharacters': 'Nachfragen bei mehr als so vielen Zeichen',
  'setting.queueLimit': 'Wartende Texte',
  'setting.memberQueueLimit': 'Wartende Texte pro Mitglied',
  'setting.cooldownSeconds': 'Pause zwischen zwei Texten, in Sekunden',
  'setting.creditsPerServer': 'Credits am Tag, Server',
  'setting.creditsPerMember': 'Credits am Tag, pro Mitglied',
  'setting.autoReadChannels': 'Vorgelesene Kanäle',
  'setting.autoReadVoiceChat': 'Chat des Sprachkanals vorlesen',
  'setting.autoReadNames': 'Wer geschrieben hat',
  'setting.autoReadNames.always': 'wird jedes Mal gesagt',
  'setting.autoReadNames.on-change': 'wird gesagt, wenn jemand anderes schreibt',
  'setting.autoReadNames.never': 'wird nie gesagt',
  'setting.autoReadBots': 'Bots und Webhooks vorlesen',
  'setting.announceJoins': 'Ansagen, wer beitritt',
  'setting.announceLeaves': 'Ansagen, wer geht',
  'setting.aloneSeconds': 'Sekunden allein, bis er geht',
  'setting.idleSeconds': 'Sekunden Stille, bis er geht',
  'setting.hushed': 'Gehen ohne ein Wort',
  'setting.resumeTexts': 'Nach einem Neustart weiterreden',
  'setting.language': 'Sprache der Ansagen',
  'setting.tags': 'Sprech-Tags',
  'setting.blockedWords': 'Gesperrte Wörter',
  'setting.blockedWordsMode': 'Was mit ihnen geschieht',
  'setting.blockedWordsMode.refuse': 'der Text wird abgelehnt',
  'setting.blockedWordsMode.bleep': 'sie werden überpiept',
  'setting.moderationChannel': 'Moderationsprotokoll',
  'setting.on': 'an',
  'setting.off': 'aus',
  'setting.number': '{value, number}',
  'setting.plain': '{value}',
  'setting.words': '{count, plural, one {# Wort} other {# Wörter}}',
  'setting.more': 'und {count, number} weitere',
  'setting.owners-limit': '{limit, number} (mehr erlaubt der Eigentümer des Bots nicht)',
  'setting.above-owners-limit': '{value, number} (der Eigentümer des Bots erlaubt aber höchstens {limit, number})',
  'setting.unset.none': 'keine',
  'setting.unset.nothing': 'nicht festgelegt',
  'setting.unset.all': 'alle',
  'setting.unset.server': 'die des Servers in Discord',
  'setting.unset.default': 'wie beim Bot üblich',

  'settings.voice.description': 'Die Stimme zeigen oder setzen, mit der spricht, wer keine eigene gewählt hat',
  'settings.voice.voice': 'Die Stimme ab jetzt; ohne Angabe siehst du die jetzige',
  'settings.voice.reset': 'Zur Standardstimme des Bots zurückkehren',
  'settings.voice.now':
    'Die Standardstimme dieses Servers ist {voice}. So änderst du sie: /settings voice mit einer anderen Stimme.',
  'settings.voice.unset':
    'Dieser Server hat keine eigene Standardstimme; es spricht die des Bots: {voice}. So legst du eine fest: /settings voice mit einer Stimme.',
  'settings.voice.gone': 'Die hier gewählte Stimme, {voice}, gibt es nicht mehr.',
  'settings.voice.changed': 'Die Standardstimme dieses Servers ist jetzt {after}. Vorher: {before}.',
  'settings.voice.unchanged': 'Die Standardstimme dieses Servers ist schon {voice}.',
  'settings.voice.before-unset': 'die Standardstimme des Bots',
  'settings.voice.was-reset':
    'Dieser Server spricht wieder mit der Standardstimme des Bots, {voice}. Vorher: {before}.',
  'settings.voice.both':
    'Wähle eines von beiden: eine Stimme, oder reset, um zur Standardstimme des Bots zurückzukehren.',

  // /stop, /leave, /help
  'stop.description': 'Aufhören zu sprechen und die Warteschlange leeren',
  'stop.stopped':
    '{waiting, plural, =0 {Gestoppt.} one {Gestoppt, und ein wartender Text entfällt.} other {Gestoppt, und # wartende Texte entfallen.}}',
  'stop.own':
    '{count, plural, one {Ein Text wurde beendet.} other {# Texte wurden beendet.}} Die anderen gehen weiter.',
  'stop.nothing': 'Im Moment wird nichts gesprochen.',
  'skip.description': 'Überspringen, was gerade gesprochen wird, oder einen wartenden Text',
  'skip.position': 'Seine Nummer in /queue; sonst das, was gerade gesprochen wird',
  'skip.skipped': 'Übersprungen: „{text}“',
  'skip.skipped-unseen': 'Ein Text von {member} wurde übersprungen.',
  'skip.no-such': 'An Position {position, number} wartet nichts. Sieh nach mit /queue.',
  'skip.not-yours':
    'Das ist ein Text von {member}. Das darf nur diese Person, und wer Mitglieder verschieben oder stummschalten darf.',
  'pause.description': 'Das Sprechen anhalten; /resume setzt es fort',
  'pause.paused': 'Angehalten. /resume macht an derselben Stelle weiter.',
  'pause.already': 'Es ist schon angehalten. Weiter geht es mit /resume.',
  'resume.description': 'Nach /pause weitermachen',
  'resume.resumed': 'Es geht weiter.',
  'resume.nothing': 'Nichts ist angehalten.',
  'queue.description': 'Zeigen, was gerade gesprochen wird und was wartet',
  'queue.empty': 'Es wird nichts gesprochen, und nichts wartet. Mit /say lässt du etwas sprechen.',
  'queue.now': 'Jetzt: {member}: {words}',
  'queue.paused': 'Angehalten: {member}: {words}',
  'queue.nothing-waits': 'Sonst wartet nichts.',
  'queue.waiting': '{position, number}. {member}: {words}',
  'queue.waiting-for': '{position, number}. {member}: {words} (in etwa {wait})',
  'queue.words': '„{text}“',
  'queue.unseen': 'in einem Sprachkanal, den du nicht sehen kannst',
  'page.of': '-# Seite {page, number} von {pages, number}',
  'page.previous': 'Vorige Seite',
  'page.next': 'Nächste Seite',
  'page.refresh': 'Aktualisieren',
  'replay.description': 'Noch einmal sprechen, was zuletzt gesprochen wurde; das kostet nichts',
  'replay.speaking': '-# Spricht noch einmal in {channel}: „{text}“',
  'replay.spoken': 'Noch einmal gesprochen in {channel}: „{text}“',
  'replay.stopped': 'Vor dem Ende gestoppt, in {channel}: „{text}“',
  'credits.none-used': '-# Keine Credits verbraucht.',
  'join.description': 'Den Bot in einen Sprachkanal holen',
  'join.channel': 'Der Kanal, in den er kommt; sonst deiner',
  'join.joined': '{channel} beigetreten.',
  'join.already': 'Der Bot ist schon in {channel}.',
  'leave.description': 'Den Sprachkanal verlassen und die Warteschlange leeren',
  'leave.left': '{channel} verlassen.',
  'leave.not-yours':
    '{member} hat dort noch etwas zu sagen. Schick den Bot weg, wenn das gesprochen ist. Wer Mitglieder verschieben oder stummschalten darf, kann es sofort.',
  'leave.absent': 'Der Bot ist in keinem Sprachkanal dieses Servers.',
  // /about
  'about.description': 'Zeigen, welcher Bot das ist und was spricht',
  'about.crier': 'Crier {version}, ein Bot, der Texte in Sprachkanälen spricht.',
  'about.voice-local': 'Seine Stimme ist lokal: Sie läuft neben dem Bot und kostet nichts.',
  'about.voice-service': 'Seine Stimme kommt von einem Sprachdienst; /credits zeigt, was übrig ist.',
  'about.ping': 'Discord antwortet ihm in {ping, number} ms.',
  'about.hint': '-# /help zeigt, was er kann, /privacy, was er speichert.',

  'help.description': 'Zeigen, was der Bot kann',
  'help.command-option': 'Der Befehl, der mit seinen Optionen erklärt wird',
  'help.title-direct': 'Tippe /say: Der Bot antwortet mit einer Sprachnachricht oder einer Audiodatei.',
  'help.title': 'Tritt einem Sprachkanal bei und tippe /say: Der Bot kommt dazu und spricht.',
  'help.command': '**/{name}**: {description}',
  'help.message-command': '**{name}** (im Menü Apps einer Nachricht): {description}',
  'help.more':
    '-# Was [in Klammern] steht, kann wegbleiben. /help mit dem Namen eines Befehls erklärt dessen Optionen.',
  'help.for-managers': '-# Für die, die den Server verwalten, und für alle, denen sie den Befehl gegeben haben.',
  'help.option': '- {name}{required, select, yes {} other { (kann wegbleiben)}}: {description}',

  // Refusals: who, where, when
  'refused.not-in-voice': 'Du bist in keinem Sprachkanal. Tritt einem bei und nutze dann /{command} noch einmal.',
  'refused.not-in-voice-again': 'Du bist in keinem Sprachkanal. Tritt einem bei und versuche es dann noch einmal.',
  'refused.server-only': 'Das geht nur auf einem Server, nicht in Direktnachrichten.',
  'refused.direct-off':
    'Wer diesen Bot betreibt, hat ihn nicht für Direktnachrichten und fremde Server freigegeben. Nutze ihn auf einem Server, auf dem er ist.',
  'refused.not-permitted': 'Das ist nur für die, die den Server verwalten.',
  'refused.not-given':
    'Das ist für die, die den Server verwalten, und für alle, denen sie den Befehl gegeben haben. Gehörst du dazu, nutze /{command}.',
  'refused.over-item': 'Das ist vorbei: Es wurde schon gesprochen oder übersprungen.',
  'refused.you-lack': 'Dir fehlt in {channel}: {permissions}. Deshalb kannst du den Bot nicht dorthin schicken.',
  'refused.over': 'Das ist vorbei: Die Nachricht ist von früher. Nutze den Befehl noch einmal.',
  'refused.member-muted': 'Die Verwaltung dieses Servers hat dich für den Bot stummgeschaltet.',
  'refused.blocked-role': 'Die Verwaltung dieses Servers lässt {role} keine Texte sprechen.',
  'refused.role-needed': 'Auf diesem Server spricht der Bot nur für Mitglieder mit einer dieser Rollen: {roles}.',
  'refused.channel-needed': 'Auf diesem Server wird der Bot nur hier genutzt: {channels}.',
  'refused.not-spoken-there': 'Auf diesem Server spricht der Bot nicht in {channel}, nur in {channels}.',
  'refused.server-cooldown':
    'Auf diesem Server liegt zwischen zwei Texten eine Pause. Versuche es in {seconds, plural, one {# Sekunde} other {# Sekunden}} noch einmal.',
  'refused.voice-not-allowed':
    'Auf diesem Server darf {voice} nicht genutzt werden. Mit /voices siehst du, welche erlaubt sind.',
  'refused.cooldown':
    'Das war schnell. Nutze /{command} in {seconds, plural, one {# Sekunde} other {# Sekunden}} noch einmal.',
  'refused.cooldown-again':
    'Das war schnell. Versuche es in {seconds, plural, one {# Sekunde} other {# Sekunden}} noch einmal.',
  'refused.missing-permissions':
    'Der Bot darf in {channel} nicht sprechen, ihm fehlt: {permissions}. Bitte jemanden, der den Server verwaltet, das dem Bot in diesem Kanal zu erlauben.',
  'refused.channel-full':
    '{channel} ist voll ({limit, plural, one {# Person} other {# Personen}}). Jemand muss gehen oder das Benutzerlimit erhöhen; versuche es dann noch einmal.',
  'refused.stage':
    'In {channel} kommt der Bot nicht auf die Bühne: Ihm fehlt „Mitglieder stummschalten“ und auch „Redeanfrage“. Bitte um eine dieser Berechtigungen, oder nutze einen Sprachkanal.',
  'stage.not-invited':
    'Der Bot hat in {channel} ums Wort gebeten, aber niemand hat ihn eingeladen. Versuche es noch einmal, und lass ihn innerhalb einer Minute von jemandem aus der Moderation der Stage zum Sprechen einladen.',
  'refused.busy-elsewhere':
    'Der Bot ist gerade in {channel} bei anderen. Geh zu ihnen, oder warte, bis er gegangen ist.',
  'refused.nobody-there':
    'In {channel} ist niemand, der es hören könnte. Geh selbst dorthin, oder wähle einen Kanal, in dem jemand ist.',
  'refused.other-channel': 'Der Bot ist in {channel}. Geh dorthin, um /{command} zu nutzen.',
  'refused.queue-full':
    'Hier {limit, plural, one {wartet schon # Text} other {warten schon # Texte}}, mehr geht nicht. Versuche es wieder, wenn einige gesprochen sind.',
  'refused.own-queue-full':
    'Von dir {limit, plural, one {wartet schon # Text} other {warten schon # Texte}}, mehr geht für eine Person nicht. Versuche es wieder, wenn einige gesprochen sind.',
  'refused.duplicate':
    'Dieser Text ist schon in der Warteschlange. Du kannst ihn wieder schicken, sobald er gesprochen wurde.',
  'refused.afk':
    '{channel} ist der AFK-Kanal dieses Servers; dort ist niemand zu hören. Tritt einem anderen Sprachkanal bei und versuche es dann noch einmal.',
  'refused.muted':
    'Jemand aus der Moderation hat den Bot auf diesem Server stummgeschaltet, niemand würde es hören. Bitte darum, das aufzuheben: Rechtsklick auf den Bot, Server-Stummschaltung.',
  'refused.timed-out':
    'Jemand aus der Moderation hat dem Bot auf diesem Server bis {until} eine Auszeit gegeben. Bitte darum, sie aufzuheben, oder versuche es danach noch einmal.',
  'replay.gone':
    'Was gesprochen wurde, bleibt nur ein paar Minuten da, und das ist vorbei. Nutze /say, um es neu zu sprechen.',
  'refused.spending':
    '{limit} Dieser Text würde etwa {about, plural, one {# Credit} other {# Credits}} kosten. Die Grenze gilt {when} von Neuem, um 00:00 UTC. {advice}',
  'refused.spending.member-here':
    'Auf diesem Server kannst du {limit, plural, one {# Credit} other {# Credits}} am Tag verbrauchen, und für heute {left, plural, =0 {ist keiner} one {ist # Credit} other {sind # Credits}} übrig.',
  'refused.spending.member':
    'Du kannst {limit, plural, one {# Credit} other {# Credits}} am Tag verbrauchen, auf allen Servern zusammen, und für heute {left, plural, =0 {ist keiner} one {ist # Credit} other {sind # Credits}} übrig.',
  'refused.spending.server':
    'Dieser Server kann {limit, plural, one {# Credit} other {# Credits}} am Tag verbrauchen, und für heute {left, plural, =0 {ist keiner} one {ist # Credit} other {sind # Credits}} übrig.',
  'refused.spending.total':
    'Dieser Bot kann für alle seine Server zusammen {limit, plural, one {# Credit} other {# Credits}} am Tag verbrauchen, und für heute {left, plural, =0 {ist keiner} one {ist # Credit} other {sind # Credits}} übrig.',
  'refused.spending.others':
    'Was ein Mitglied am Tag verbrauchen kann, reicht dafür nicht mehr. Die Grenze gilt {when} von Neuem, um 00:00 UTC. {advice}',
  'refused.spending.ask-admin':
    '{left, plural, =0 {} other {Versuche es bis dahin mit einem kürzeren Text. }}Wer diesen Server verwaltet, kann sie anheben.',
  'refused.spending.ask-owner':
    '{left, plural, =0 {} other {Versuche es bis dahin mit einem kürzeren Text. }}Wer diesen Bot betreibt, kann sie anheben.',
  'refused.lost-sounds':
    'Die letzten Texte mit dem Modell dieser Stimme wurden bezahlt und konnten nicht abgespielt werden; deshalb werden keine neuen bezahlt. Der nächste Versuch ist {when} möglich; nimm so lange eine Stimme eines anderen Modells. Wer diesen Bot betreibt, weiß Bescheid.',
  'refused.unknown-voice':
    'Es gibt keine Stimme „{voice}“. Tippe einen Teil des Namens in die Option voice und wähle aus der Liste, oder sieh nach mit /voices.',
  'refused.unknown-voice-did-you-mean':
    'Es gibt keine Stimme „{voice}“. Meintest du {suggestions}? Wähle beim Tippen aus der Liste, oder sieh nach mit /voices.',
  'refused.ambiguous-voice':
    'Mehrere Stimmen heißen „{voice}“: {candidates}. Wähle eine aus der Liste, die sich beim Tippen öffnet.',
  'refused.out-of-range': 'Die Option {option} geht von {min, number} bis {max, number}. Wähle eine Zahl dazwischen.',
  'refused.not-a-number': 'Die Option {option} braucht eine Zahl.',
  'refused.not-an-integer': 'Die Option {option} braucht eine ganze Zahl.',
  'refused.format': '{voice} kann nur {formats}. Lass die Option format weg, oder wähle eine andere Stimme.',
  'refused.no-voices':
    'Der Sprachdienst bietet gerade keine Stimmen an. Wer diesen Bot betreibt, sollte sein Konto prüfen.',
  'refused.server-not-allowed':
    'Wer diesen Bot betreibt, hat ausgewählt, auf welchen Servern er arbeitet, und dieser ist nicht darunter. Bitte darum, seine ID, {id}, in ALLOWED_SERVERS einzutragen.',
  'servers.leaving':
    'Wer diesen Bot betreibt, hat ausgewählt, auf welchen Servern er arbeitet, und dieser ist nicht darunter; deshalb geht der Bot jetzt. Bitte darum, die ID dieses Servers, {id}, in ALLOWED_SERVERS einzutragen, und lade ihn dann wieder ein.',
  'refused.unknown-command':
    'Dieser Befehl ist veraltet. Starte Discord neu, um die neue Liste zu bekommen, oder sieh nach mit /help.',
  'refused.stopping': 'Der Bot wird neu gestartet. Versuche es in einer Minute noch einmal.',
  'refused.session-ended':
    'Discord hat die Verbindung des Bots beendet. Sag der Person Bescheid, die ihn betreibt: Sein Protokoll sagt, was zu tun ist.',

  // Permissions as Discord's own settings name them
  'permission.ViewChannel': 'Kanal anzeigen',
  'permission.Connect': 'Verbinden',
  'permission.Speak': 'Sprechen',
  'permission.MuteMembers': 'Mitglieder stummschalten',

  // Failures of the speech interface, one for each kind
  'speech.invalid-request':
    'Der Sprachdienst hat diese Anfrage nicht angenommen. Ändere den Text oder die Stimme und versuche es noch einmal.',
  'speech.input-too-long': 'Der Text ist für diese Stimme zu lang. Kürze ihn, oder verteile ihn auf mehrere /say.',
  'speech.unsupported-format': 'Diese Stimme kann dieses Audioformat nicht. Wähle eine andere Stimme.',
  'speech.voice-not-found':
    'Der Sprachdienst kennt diese Stimme nicht mehr. Wähle eine andere: Die Liste ist jetzt aktuell.',
  'speech.invalid-api-key':
    'Der Sprachdienst nimmt den Schlüssel des Bots nicht an. Wer diesen Bot betreibt, muss einen gültigen VOICE_API_KEY eintragen.',
  'speech.insufficient-credits':
    'Dafür sind keine Credits übrig. Wer diesen Bot betreibt, muss das Konto beim Sprachdienst aufladen.',
  'speech.insufficient-credits-url':
    'Dafür sind keine Credits übrig. Wer diesen Bot betreibt, kann das Konto beim Sprachdienst hier aufladen: {url}',
  'speech.insufficient-credits-local':
    'Die lokale Stimme hat ihre Credits verbraucht. Wer diesen Bot betreibt, kann ihr mehr geben; die README sagt, wie.',
  'speech.content-policy':
    'Der Sprachdienst spricht diesen Text wegen seiner Inhaltsregeln nicht. Formuliere ihn anders.',
  'speech.rate-limited':
    'Zu viele Texte auf einmal. Versuche es in {seconds, plural, =0 {einem Moment} one {# Sekunde} other {# Sekunden}} noch einmal.',
  'speech.quota-exceeded':
    'Diese Art von Stimme hat ihr Kontingent beim Anbieter vorerst verbraucht. {when} wird es wieder versucht; nimm bis dahin eine Stimme eines anderen Modells.',
  'speech.unavailable': 'Der Sprachdienst ist gerade gestört. Versuche es in ein paar Minuten noch einmal.',
  'speech.server-error':
    'Beim Sprachdienst ist etwas schiefgegangen. Versuche es noch einmal; geht es weiter nicht, sag es denen, die diesen Bot betreiben.',
  'speech.bad-response':
    'Die Antwort des Sprachdienstes ergibt keinen Sinn. Sag es denen, die diesen Bot betreiben: Vielleicht stimmt VOICE_API_URL nicht.',
  'speech.network':
    'Der Sprachdienst ist nicht erreichbar. Versuche es in einer Minute noch einmal; hilft das nicht, sag es denen, die diesen Bot betreiben.',
  'speech.timeout':
    'Der Sprachdienst hat zu lange gebraucht. Versuche es noch einmal, vielleicht mit einem kürzeren Text.',
  'speech.aborted': 'Das wurde gestoppt, bevor es gesprochen wurde.',
  'speech.not-accepted':
    'Der Sprachdienst hat diese Anfrage nicht angenommen. Versuche es noch einmal; hilft das nicht, sag es denen, die diesen Bot betreiben.',
  'speech.asked-too-often':
    'Der Sprachdienst wird gerade zu oft gefragt. Versuche es in {seconds, plural, =0 {einem Moment} one {# Sekunde} other {# Sekunden}} noch einmal.',
  'speech.no-answer-in-time':
    'Der Sprachdienst hat zu lange nicht geantwortet. Versuche es in einer Minute noch einmal.',
  'speech.question-stopped':
    'Das wurde gestoppt, bevor der Sprachdienst geantwortet hat. Versuche es in einer Minute noch einmal.',

  // What is heard in place of what cannot be read out
  'readable.somebody': 'jemand',
  'readable.some-channel': 'ein Kanal',
  'readable.some-role': 'eine Rolle',
  'readable.everyone': 'alle',
  'readable.here': 'alle hier',
  'readable.command': 'der Befehl {name}',
  'readable.server-page': 'eine Seite dieses Servers',
  'readable.some-date': 'ein Datum',
  'readable.link': 'Link zu {host}',
  'readable.some-link': 'ein Link',
  'readable.message-link': 'Link zu einer Nachricht',
  'readable.masked-link': '{words}, Link',
  'readable.gif': 'ein GIF',
  'readable.code-block': 'Codeblock',
  'readable.spoiler': 'Spoiler',
  'readable.quote': 'Zitat:',
  'readable.reply': 'als Antwort an {name}',
  'readable.emoji': 'Emoji',
  'readable.emoji-times': '{emoji}, {count, plural, one {einmal} other {# Mal}}',
  'readable.more-emoji': '{count, plural, one {ein weiteres Emoji} other {# weitere Emojis}}',
  'readable.sticker': 'der Sticker {name}',
  'readable.voice-messages': '{count, plural, one {eine Sprachnachricht} other {# Sprachnachrichten}}',
  'readable.images': '{count, plural, one {ein Bild} other {# Bilder}}',
  'readable.videos': '{count, plural, one {ein Video} other {# Videos}}',
  'readable.sounds': '{count, plural, one {eine Tondatei} other {# Tondateien}}',
  'readable.files': '{count, plural, one {eine Datei} other {# Dateien}}',
  'readable.hidden-files': '{count, plural, one {ein verdeckter Anhang} other {# verdeckte Anhänge}}',
  // What is heard of messages that are read, and of people's coming and going
  'reading.says': '{name} sagt: {words}',
  'reading.replies': '{name}, {words}',
  'reading.sent': '{name} schickt: {words}',
  'reading.more': '… und mehr',
  'reading.joined': 'Dazugekommen: {names}',
  'reading.left': 'Gegangen: {names}',
  'reading.many-joined': '{count, plural, one {eine Person ist} other {# Personen sind}} dazugekommen',
  'reading.many-left': '{count, plural, one {eine Person ist} other {# Personen sind}} gegangen',
  'reading.trouble': '-# Eine Nachricht von {member} wurde nicht vorgelesen. {why}',

  // /opt-out
  'opt-out.description': 'Nichts von dir vorlesen lassen: keine Nachrichten, kein Kommen und Gehen, auf keinem Server',
  'opt-out.back': 'Es wieder vorlesen lassen',
  'opt-out.done':
    'Ab jetzt wird nichts, was du schreibst, von selbst vorgelesen, und niemandem wird gesagt, dass du kommst oder gehst, auf keinem Server. Was du /say gibst, wird weiter gesprochen. So nimmst du das zurück: /opt-out mit back.',
  'opt-out.already':
    'Du hast dem Vorlesen schon widersprochen: Was du schreibst, wird nicht von selbst vorgelesen. So nimmst du das zurück: /opt-out mit back.',
  'opt-out.taken-back':
    'Was du schreibst, darf wieder vorgelesen werden, und dein Kommen und Gehen angesagt, wo die Admins eines Servers das gewählt haben.',
  'opt-out.never':
    'Du hast dem nicht widersprochen: Was du schreibst, darf vorgelesen werden, wo die Admins eines Servers das gewählt haben.',

  'blocked.bleep': 'piep',

  // Reading a pronunciation dictionary from a file
  'dictionary.in-line': 'Zeile {number, number}: {problem}',
  'dictionary.in-entry': 'Eintrag {number, number}: {problem}',
  'dictionary.file-too-large': 'Diese Datei ist zu groß für ein Wörterbuch.',
  'dictionary.no-entries':
    'In dieser Datei sind keine Einträge. Exportiere das Wörterbuch, um zu sehen, wie einer aussieht.',
  'dictionary.broken-json':
    'Das JSON in dieser Datei ist bei Zeile {line, number} beschädigt. Repariere es und versuche es noch einmal.',
  'dictionary.no-tab':
    'Zwischen Geschriebenem und Gesprochenem fehlt ein Tabulator. Setze einen, oder exportiere das Wörterbuch, um zu sehen, wie eine Zeile aussieht.',
  'dictionary.columns': 'Nach dem Gesprochenen kommt „whole“ oder „part“, dann „case“ oder nichts.',
  'dictionary.from-missing': 'Das Geschriebene fehlt.',
  'dictionary.from-too-long':
    'Das Geschriebene hat {length, number} Zeichen, und höchstens {limit, number} sind möglich.',
  'dictionary.to-missing': 'Was stattdessen gesprochen wird, fehlt.',
  'dictionary.to-too-long':
    'Was stattdessen gesprochen wird, hat {length, number} Zeichen, und höchstens {limit, number} sind möglich.',
  'dictionary.not-an-entry': 'Das ist kein Eintrag. Exportiere das Wörterbuch, um zu sehen, wie einer aussieht.',
  'dictionary.twice': '„{from}“ gibt es schon, als Nummer {first, number}.',
  'dictionary.too-many': '{count, number} Einträge sind zu viele: Ein Server kann {limit, number} haben.',
  'dictionary.more-problems': '… und {count, plural, one {ein weiteres Problem} other {# weitere Probleme}}.',

  // /dictionary
  'dictionary.description': 'Festlegen, wie Wörter auf diesem Server ausgesprochen werden',
  'dictionary.add.description': 'Ein Wort hinzufügen und wie es gesprochen wird, oder es ändern',
  'dictionary.remove.description': 'Ein Wort aus dem Wörterbuch nehmen',
  'dictionary.remove.word': 'Tippe das Wort, wie es geschrieben wird, und wähle es aus',
  'dictionary.list.description': 'Alle Wörter zeigen, um sie zu ändern oder herauszunehmen',
  'dictionary.test.description': 'Einen Text mit dem Wörterbuch hören; außerhalb von Sprachkanälen wird er gezeigt',
  'dictionary.test.text': 'Der Text zum Ausprobieren',
  'dictionary.import.description': 'Wörter aus einer Datei übernehmen, etwa aus einer von /dictionary export',
  'dictionary.import.file': 'JSON, oder Zeilen mit: geschrieben, Tabulator, gesprochen',
  'dictionary.import.how': 'Was aus den Wörtern wird, die es schon gibt; sonst bleiben sie',
  'dictionary.import.merge': 'sie behalten und die der Datei hinzufügen',
  'dictionary.import.replace': 'nur die der Datei bleiben',
  'dictionary.export.description': 'Alle Wörter als Datei bekommen',
  'dictionary.export.format': 'Die Art der Datei; sonst JSON',
  'dictionary.export.tsv': 'Tabelle (mit Tabulatoren)',
  'dictionary.form-add': 'Ein Wort hinzufügen',
  'dictionary.form-edit': 'Ein Wort ändern',
  'dictionary.form-from': 'Geschrieben',
  'dictionary.form-to': 'Gesprochen',
  'dictionary.form-to-hint': 'Leer heißt, dass das Wort gar nicht gesprochen wird',
  'dictionary.form-where': 'Wo es gilt',
  'dictionary.form-whole': 'Nur als ganzes Wort',
  'dictionary.form-part': 'Auch innerhalb anderer Wörter',
  'dictionary.form-case': 'Groß- und Kleinschreibung',
  'dictionary.form-any-case': 'Ist egal',
  'dictionary.form-exact-case': 'Muss genau stimmen',
  'dictionary.entry':
    '„{from}“ wird {to} gesprochen{part, select, yes {, auch innerhalb anderer Wörter} other {}}{exact, select, yes {, nur in dieser Groß- und Kleinschreibung} other {}}',
  'dictionary.as': 'als „{to}“',
  'dictionary.as-nothing': 'gar nicht',
  'dictionary.added': 'Jetzt: {after}. Vorher: wie geschrieben.',
  'dictionary.changed': 'Jetzt: {after}. Vorher: {before}.',
  'dictionary.unchanged': 'Das ist schon so: {after}.',
  'dictionary.removed': 'Herausgenommen: {before}. Es wird wieder gesprochen, wie es geschrieben wird.',
  'dictionary.no-such': 'Im Wörterbuch steht kein „{word}“. Sieh nach mit /dictionary list.',
  'dictionary.gone':
    'Dieses Wort wurde inzwischen geändert oder herausgenommen; es wurde nichts geändert. Sieh nach mit /dictionary list.',
  'dictionary.exists':
    'Für „{from}“ gibt es schon einen anderen Eintrag; es wurde nichts geändert. Ändere stattdessen jenen.',
  'dictionary.full':
    'Das Wörterbuch ist voll: Ein Server kann {limit, number} Wörter haben. Nimm einige heraus mit /dictionary list.',
  'dictionary.title': '## Aussprache auf diesem Server',
  'dictionary.count': '{count, plural, one {# Wort} other {# Wörter}}',
  'dictionary.empty': 'Es gibt noch keine Wörter. /dictionary add nimmt das erste.',
  'dictionary.line': '- {entry}',
  'dictionary.option': '{from} → {to}',
  'dictionary.nothing': '(nichts)',
  'dictionary.pick-edit': 'Ein Wort ändern …',
  'dictionary.pick-remove': 'Wörter herausnehmen …',
  'dictionary.add-button': 'Ein Wort hinzufügen …',
  'dictionary.reads': 'So wird es gelesen: „{text}“',
  'dictionary.reads-hint': '-# Tritt einem Sprachkanal bei, dann spricht es /dictionary test dort.',
  'dictionary.imported':
    'Importiert: {added, number} hinzugefügt, {changed, number} geändert, {removed, number} herausgenommen. Jetzt {after, plural, one {# Wort} other {# Wörter}}; vorher {before, plural, one {# Wort} other {# Wörter}}.',
  'dictionary.imported-before': '-# Die angehängte Datei enthält das Wörterbuch, wie es vorher war.',
  'dictionary.import-wrong': 'In dieser Datei sind Fehler; es wurde nichts geändert:',
  'dictionary.exported':
    'Das Wörterbuch als Datei: {count, plural, one {# Wort} other {# Wörter}}. /dictionary import nimmt es wieder auf.',

  // The moderation log
  'moderation.line':
    '{when} {member}: {kind}, {characters, plural, one {# Zeichen} other {# Zeichen}}{voice}{where}: {outcome}{credits}',
  'moderation.kind.command': 'Befehl',
  'moderation.kind.message': 'Nachricht',
  'moderation.kind.auto-read': 'aus dem Chat vorgelesen',
  'moderation.kind.file': 'Datei',
  'moderation.kind.voice-message': 'Sprachnachricht',
  'moderation.kind.replay': 'noch einmal gesprochen',
  'moderation.outcome.spoken': 'gesprochen',
  'moderation.outcome.stopped': 'vor dem Ende gestoppt',
  'moderation.outcome.saved': 'gespeichert',
  'moderation.outcome.blocked': 'wegen eines gesperrten Wortes abgelehnt',
  'moderation.outcome.failed': 'nicht zu Ende gesprochen',
  'moderation.voice': ', {name} ({model})',
  'moderation.where': ', in {channel}',
  'moderation.credits': ', {credits, plural, =0 {keine Credits} one {# Credit} other {# Credits}}',
  'moderation.left-out': '-# … und {count, plural, one {ein weiterer Eintrag} other {# weitere Einträge}}.',
  'moderation.no-channel':
    'Den Kanal {channel} des Moderationsprotokolls gibt es nicht mehr, oder der Bot sieht ihn nicht. Wähle einen anderen mit /settings panel.',
  'moderation.not-allowed':
    'Der Bot darf das Moderationsprotokoll nicht schreiben: Ihm fehlt in {channel} „Kanal anzeigen“ oder „Nachrichten senden“. Erlaube das, oder wähle mit /settings panel einen anderen Kanal.',

  // Blocked words
  'blocked.refused': 'Das wurde nicht gesprochen: Der Server sperrt „{rule}“. Sag es mit anderen Worten.',
  'blocked.tangled':
    'Das wurde nicht gesprochen: Zu viele Zeichen darin könnten Buchstaben sein, um es nach gesperrten Wörtern zu durchsuchen. Schreib es in gewöhnlichen Buchstaben.',
  'blocked.empty': 'Ein gesperrtes Wort braucht außer den Sternen an den Rändern einen Buchstaben oder ein Zeichen.',
  'blocked.too-long':
    'Ein gesperrtes Wort hat höchstens {limit, number} Zeichen, und dieses hat {length, number}. Kürze es.',
  'blocked.too-short':
    'Mit einem Stern braucht ein gesperrtes Wort mindestens {least, number} Buchstaben: Weniger kommen in fast jedem Text vor. Lass den Stern weg, oder füge Buchstaben hinzu.',

  // Failures of joining and playing
  'join.failed':
    'Der Bot konnte {channel} nicht beitreten: Discord ließ ihn nicht hinein. Versuche es noch einmal; geht es weiter nicht, prüfe dort seine Berechtigungen.',
  'join.busy':
    'Der Bot konnte {channel} nicht beitreten: Crier tritt gerade vielen Kanälen bei. Versuche es in einer Minute noch einmal.',
  'join.no-answer':
    'Der Bot konnte {channel} nicht beitreten: Der Sprachserver von Discord hat nicht rechtzeitig geantwortet. Versuche es in einer Minute noch einmal.',
  'join.no-udp':
    'Der Bot konnte {channel} nicht beitreten: Über UDP kommt nichts zurück. Die Firewall oder das Netz des Rechners, auf dem dieser Bot läuft, lässt kein UDP hinaus; sag es denen, die ihn betreiben.',
  'join.given-up':
    'Der Bot ist {channel} nicht mehr beigetreten: Er sollte gehen oder woandershin. Mit /join versucht er es noch einmal.',
  'join.encryption':
    'Der Bot konnte sich mit Discord nicht über die Verschlüsselung des Anrufs in {channel} einigen. Sag es denen, die diesen Bot betreiben: npm run doctor zeigt, warum.',
  'audio.refused':
    'Das Audio liegt an einer Adresse, die der Bot nicht abrufen darf. Wer diesen Bot betreibt, sollte das Protokoll und AUDIO_HOSTS prüfen.',
  'audio.unreachable':
    'Das Audio wurde erzeugt, ließ sich aber nicht abrufen. Versuche es in einer Minute noch einmal.',
  'audio.unplayable':
    'Das Audio wurde erzeugt, lässt sich aber nicht abspielen. Nimm eine andere Stimme, und sag es denen, die diesen Bot betreiben.',
  'audio.too-large': 'Das Audio ist länger, als der Bot auf einmal abspielt. Nimm einen kürzeren Text.',
  'audio.endless':
    'Die Stimme hörte nicht auf: Der Ton war viel länger als der Text und wurde abgebrochen. Versuch eine andere Stimme oder andere Worte.',
  'play.kicked': 'Der Bot wurde aus {channel} entfernt; deshalb wurde das nicht zu Ende gesprochen.',
  'play.channel-gone': 'Der Sprachkanal wurde gelöscht; deshalb wurde das nicht zu Ende gesprochen.',
  'play.connection-lost':
    'Die Verbindung zum Sprachkanal ging verloren; deshalb wurde das nicht zu Ende gesprochen. Versuche es noch einmal.',
  'play.unheard':
    'Discord hat den Bot nicht in die Ende-zu-Ende-Verschlüsselung des Anrufs in {channel} aufgenommen, auch nach erneutem Beitreten nicht; deshalb war davon nichts zu hören. Versuche es in einer Minute noch einmal.',
  'play.encryption-lost':
    'Der Bot verlor die Ende-zu-Ende-Verschlüsselung des Anrufs in {channel} und bekam sie nicht zurück; deshalb war das nicht bis zum Ende zu hören. Versuche es in einer Minute noch einmal.',
  'play.nobody-listening': 'Alle haben {channel} verlassen; deshalb wurde das nicht zu Ende gesprochen.',
  'play.stopped': 'Das wurde aus der Warteschlange genommen, bevor es gesprochen wurde.',
  'play.paused-too-long':
    'Das Sprechen war so lange angehalten, dass der Bot gegangen ist; deshalb wurde das nicht zu Ende gesprochen.',
  'play.held-back':
    'Discord lässt den Bot in {channel} nicht hören: Er kam ohne das Recht zu sprechen und hat den Kanal verlassen. Hat er das Recht jetzt, nutze noch einmal /say: Er kommt neu dazu.',
  'play.put-into-audience':
    'Jemand aus der Moderation hat den Bot in {channel} ins Publikum gesetzt; deshalb wurde das nicht zu Ende gesprochen. Nutze noch einmal /say, dann bittet er ums Wort.',
  'play.server-left': 'Der Bot wurde vom Server entfernt.',

  // After a restart
  'resumed.once-mended':
    'Discord hat die Verbindung des Bots beendet. Sag der Person Bescheid, die ihn betreibt: Sein Protokoll sagt, was zu tun ist. Das wird gesprochen, wenn der Bot binnen zehn Minuten zurück ist.',
  'resumed.later':
    'Der Bot wird neu gestartet. Das wird gesprochen, sobald er zurück ist, wenn dann noch jemand zuhört.',
  'resumed.spoken': 'In {channel} gesprochen. Gleich danach wurde der Bot neu gestartet.',
  'resumed.failed': 'Das wurde nicht zu Ende gesprochen, und gleich danach wurde der Bot neu gestartet.',
  'resumed.not-spoken': 'Der Bot wurde neu gestartet; deshalb wurde das nicht zu Ende gesprochen.',
  'resumed.too-late': 'Der Bot war zu lange weg; deshalb wurde das nicht zu Ende gesprochen.',
  'resumed.nobody':
    'Der Bot wurde neu gestartet. In {channel} hört niemand mehr zu; deshalb wurde das nicht zu Ende gesprochen.',
  'resumed.maybe-billed':
    'Der Bot wurde neu gestartet, während das gerade erzeugt wurde. Vielleicht hat es schon Credits gekostet; deshalb wird es nur auf deinen Wunsch noch einmal erzeugt.',
  'resumed.notice': '{member}: {what}',
  'resumed.messages':
    '-# Der Bot wurde neu gestartet: {count, plural, one {# Nachricht wurde} other {# Nachrichten wurden}} nicht vorgelesen.',

  // Why the bot left a channel, told where it was last used from
  'left.nobody-listening': '{channel} verlassen: Niemand hat zugehört. Mit /say oder /join kommt der Bot zurück.',
  'left.idle': '{channel} verlassen: Eine Weile wurde nichts gesagt. Mit /say oder /join kommt der Bot zurück.',
  'left.paused-too-long': '{channel} verlassen: Das Sprechen war zu lange angehalten. Mit /say geht es weiter.',
  'left.kicked': '{channel} verlassen: Jemand hat den Bot entfernt. Mit /say oder /join kommt er zurück.',
  'left.channel-gone': 'Den Sprachkanal verlassen: Er wurde gelöscht. Tritt einem anderen bei und nutze dort /say.',
  'left.connection-lost':
    '{channel} verlassen: Die Verbindung ging verloren. Mit /say oder /join kommt der Bot zurück.',
  'left.not-allowed': '{channel} verlassen. {why}',

  // What is kept; /privacy and /forget are made from these
  'kept.own-settings':
    '**Deine Stimme**: Stimme, Stil, Tempo und Temperatur, die du mit /voice gewählt hast, unter deiner Benutzer-ID, in der Datenbank des Bots, bis du sie zurücknimmst.',
  'kept.own-settings.now': 'deine eigenen Stimmeinstellungen, an {places, plural, one {# Ort} other {# Orten}}',
  'kept.use':
    '**Dein Verbrauch**: wie viele Credits du verbraucht hast und wie viele Texte nichts gekostet haben, nach Tag, Server und Benutzer-ID, in der Datenbank des Bots bis zum Ende des nächsten Monats. Danach richten sich die Grenzen.',
  'kept.use.now':
    'gezählter Verbrauch: {credits, plural, one {# Credit} other {# Credits}} in diesem und im letzten Monat',
  'kept.use.today': 'gezählter Verbrauch von heute: {credits, plural, one {# Credit} other {# Credits}}, bis 00:00 UTC',
  'kept.use.before': 'gezählter Verbrauch früherer Tage: {credits, plural, one {# Credit} other {# Credits}}',
  'kept.queue':
    '**Was du sagst**: der Text und sein Ton, im Arbeitsspeicher, solange er wartet und bis zu 15 Minuten danach, damit er noch einmal gesprochen werden kann oder ein Button noch geht. Bis er gesprochen ist, höchstens zehn Minuten, liegt der Text auch verschlüsselt auf der Festplatte, mit dem Ort deiner Anfrage: So geht er bei einem Neustart nicht verloren.',
  'kept.queue.now':
    'was du sagst: {waiting, plural, one {# Text} other {# Texte}} in der Warteschlange, {spoken, plural, one {# kürzlich} other {# kürzlich}} vorgelesen{offered, plural, =0 {} one {, # für einen Button aufgehoben} other {, # für Buttons aufgehoben}}',
  'kept.opt-out':
    '**Dein Widerspruch**: unter deiner Benutzer-ID, dass und wann du /opt-out genutzt hast, in der Datenbank des Bots, bis du es zurücknimmst.',
  'kept.opt-out.now': 'dass du dem Vorlesen widersprochen hast',
  'kept.sound':
    '**Ton**: was gesprochen wurde, ohne seinen Text und ohne wer es gesagt hat, unter einem Code, den niemand zurücklesen kann, bis er abläuft. So wird derselbe Text nur einmal bezahlt.',
  'kept.moderation-log':
    '**Moderationsprotokoll**: nur wo Admins einen Kanal dafür gewählt haben. Dort steht, wer wann einen Text sprechen ließ, von welcher Art und Länge, mit welcher Stimme, in welchem Kanal, wie es ausging und für wie viele Credits, bis jemand es dort löscht. Nie der Text.',
  'kept.server-settings':
    '**Servereinstellungen**: was Admins mit /settings gewählt haben, mit den IDs von Rollen, Kanälen und stummen Mitgliedern, bis sie es zurücksetzen.',
  'kept.server-settings.now': 'Einstellungen dieses Servers: {count, number}',
  'kept.dictionary':
    '**Wörterbuch**: wie Wörter auf einem Server ausgesprochen werden, so wie seine Admins es geschrieben haben, bis sie es löschen.',
  'kept.dictionary.now': 'Wörterbuch dieses Servers: {entries, plural, one {# Eintrag} other {# Einträge}}',
  'kept.notices':
    '**Hinweise**: unter der Server-ID, dass der Bot sich vorgestellt oder von einer verschwundenen Stimme berichtet hat, und wann er gegangen ist. Alles über einen Server verschwindet 30 Tage, nachdem der Bot ihn verlassen hat.',
  'kept.bot':
    '**Über den Bot**: wo seine Befehle registriert sind, wie viele Credits übrig sind, was ein Modell kostet und wie laut eine Stimme ist. Über Menschen nur, welche Sprache seine Eigentümer nutzen, im Arbeitsspeicher.',

  // /privacy
  'privacy.description': 'Was der Bot über dich speichert, wo und wie lange',
  'privacy.title':
    '**Was dieser Bot speichert.** Nichts von dem, was Leute sagen, wird gespeichert, außer was hier steht.',
  'privacy.entry': '- {holds}',
  'privacy.yours': '  - Jetzt: {what}.',
  'privacy.nothing': '  - Jetzt: nichts.',
  'privacy.unknown': '  - Jetzt: nicht bekannt, weil das Gedächtnis des Bots nicht antwortet.',
  'privacy.log':
    'Wer den Bot betreibt, hat ein Protokoll: Befehle, Zeiten, IDs von Servern und Kanälen, und Fehler. Nie das Gesagte. Damit Ton daraus wird, geht ein Text an den Sprachdienst.',
  'privacy.forget': '/forget löscht, was über dich gespeichert ist.',
  'privacy.forget-server': 'Du verwaltest diesen Server: /forget mit server löscht, was über ihn gespeichert ist.',

  // /forget
  'forget.description': 'Löschen, was der Bot über dich gespeichert hat',
  'forget.server': 'Stattdessen, was er über diesen Server gespeichert hat; für die, die ihn verwalten',
  'forget.ask': 'Das würde gelöscht, für alle Server, und lässt sich nicht zurückholen:',
  'forget.ask-server': 'Das würde für alle auf diesem Server gelöscht und lässt sich nicht zurückholen:',
  'forget.line': '- {what}',
  'forget.wish': '- nur wenn du es auch so willst: {what}',
  'forget.yes': 'Löschen',
  'forget.yes-wishes': 'Löschen, auch meine Wünsche',
  'forget.nothing': 'Über dich ist nichts gespeichert.',
  'forget.nothing-here': 'Über diesen Server ist nichts gespeichert.',
  'forget.deleted': 'Gelöscht:',
  'forget.today-asked':
    'Der heutige Verbrauch ({credits, plural, one {# Credit} other {# Credits}}) würde verschwinden, wenn der Tag vorbei ist, um 00:00 UTC: Danach richten sich die heutigen Grenzen.',
  'forget.today':
    'Der heutige Verbrauch ({credits, plural, one {# Credit} other {# Credits}}) verschwindet, wenn der Tag vorbei ist, um 00:00 UTC: Danach richten sich die heutigen Grenzen.',
  'forget.left':
    'Das konnte nicht gelöscht werden, weil das Gedächtnis des Bots nicht antwortet. Versuche es in einer Minute noch einmal:',

  // The message in a server that is new, and /setup
  'welcome.hello': '**Hallo! Ich spreche in Sprachkanälen, was ihr schreibt.**',
  'welcome.members':
    'Tritt einem Sprachkanal bei und schreibe /say mit einem Text. /help zeigt alles andere, /privacy, was gespeichert wird.',
  'welcome.admins': 'Für die, die diesen Server verwalten: drei kurze Schritte, jeden kannst du überspringen.',
  'welcome.begin': 'Einrichten',
  'setup.description': 'Den Bot in drei Schritten einrichten: Stimme, wer und wo, Grenzen',
  'setup.voice': '**Schritt 1 von 3: die Stimme.** Wer spricht, solange ein Mitglied keine andere Stimme wählt?',
  'setup.voice.now': 'Jetzt: {voice}.',
  'setup.voice.more':
    '-# Insgesamt gibt es {count, number} Stimmen: /voices zeigt sie und spielt sie vor, /settings voice nimmt jede.',
  'setup.people':
    '**Schritt 2 von 3: wer und wo.** Wähle die Rollen, die Texte sprechen lassen dürfen, und die Kanäle dafür. Ohne Auswahl: alle, überall.',
  'setup.people.roles': 'Nur diese Rollen',
  'setup.people.channels': 'Nur diese Kanäle',
  'setup.limits':
    '**Schritt 3 von 3: Grenzen.** Credits werden pro Tag gezählt; wer den Bot betreibt, hat ebenfalls Grenzen.',
  'setup.limits.credits': 'Credits am Tag ändern',
  'setup.limits.texts': 'Texte und Warteschlange ändern',
  'setup.summary': '**Fertig.** Das hast du für diesen Server gewählt:',
  'setup.summary.nothing': '- Nichts: Alles ist, wie es der Bot hat.',
  'setup.summary.more':
    'Alles andere: /settings panel. Was Mitglieder tun können: /help. Noch einmal von vorn: /setup.',
  'setup.value': '- {setting}: {value}',
  'setup.next': 'Nächster Schritt',
  'setup.skip': 'Schritt überspringen',
  'setup.back': 'Zurück',
  'setup.finish': 'Fertig',

  // Told once to admins
  'vanished.told':
    'Die Stimme, die für diesen Server gewählt war, {voice}, gibt es nicht mehr. Bis eine andere gewählt ist, spricht die Standardstimme des Bots. Für die, die diesen Server verwalten: /settings voice wählt eine andere.',

  // /owner, for the bot's operator
  'owner.description': 'Für alle, die den Bot betreiben',
  'owner.no-server': 'Der Bot ist auf keinem Server „{server}“. Wähle einen der Vorschläge.',
  'owner.status.description': 'Wie es dem Bot geht',
  'owner.status.title': '**Crier {version}**, gestartet {since}.',
  'owner.status.draining': 'Er wird gerade beendet: Es wird nichts Neues gesprochen.',
  'owner.status.discord':
    '- Discord: {ready, number} von {shards, plural, one {# Shard} other {# Shards}} verbunden, {servers, plural, one {# Server} other {# Server}}, {ping} ms.',
  'owner.status.speakers':
    '- In {joined, plural, one {# Sprachkanal} other {# Sprachkanälen}}, spricht in {speaking, number}.',
  'owner.status.queues':
    '- {waiting, plural, one {# Text wartet} other {# Texte warten}}, höchstens {longest, number} auf einem Server.',
  'owner.status.nothing-spoken': '- Seit dem Start wurde nichts gesprochen.',
  'owner.status.first-sound':
    '- Bis zum ersten Ton, in ms (die Hälfte davon, 95 %, 99 %; bei wenigen Texten die längste Zeit):',
  'owner.status.percentiles':
    '  - {kind}: {p50, number}, {p95, number}, {p99, number} ({count, plural, one {# Text} other {# Texte}})',
  'owner.status.longest': '  - {kind}: höchstens {longest, number} ({count, plural, one {# Text} other {# Texte}})',
  'owner.status.kind.queued': 'erst gewartet, bis es dran war',
  'owner.status.kind.cold': 'erst beigetreten',
  'owner.status.kind.joined': 'schon im Kanal',
  'owner.status.kind.cached': 'schon einmal gesprochen',
  'owner.status.kind.part': 'weitere Teile eines Textes',
  'owner.status.cache':
    '- Schon gesprochen: {memory, number} aus dem Speicher, {disk, number} von der Platte, {misses, number} erzeugt; {megabytes, number} MB im Speicher.',
  'owner.status.no-circuits': '- Kontingente: Keines ist verbraucht.',
  'owner.status.circuits': '- Kontingente: verbraucht für {models}; dort wird jetzt nicht angefragt.',
  'owner.status.lost-audio':
    '- **Bezahltes Audio kommt nicht an** von {models}: Dort wird nichts bezahlt, nur ein Versuch in wachsenden Abständen. Das Protokoll sagt mehr.',
  'owner.status.check.discord': 'Verbindung zu Discord',
  'owner.status.check.commands': 'Befehle',
  'owner.status.check.store': 'Gedächtnis',
  'owner.status.check.speech': 'Sprachdienst',
  'owner.status.ok': '- {name}: in Ordnung',
  'owner.status.trouble': '- **{name}: nicht in Ordnung** (`{state}`). Das Protokoll sagt mehr.',
  'owner.spending.description': 'Credits nach Server, heute und in diesem Monat',
  'owner.spending.total':
    'Alle Server zusammen: heute {today, plural, one {# Credit} other {# Credits}} von {limit, number} verbraucht, in diesem Monat {month, number}. Die Tagesgrenzen gelten {when} von Neuem.',
  'owner.spending.unknown':
    'Davon heute etwa {credits, plural, one {# Credit} other {# Credits}} für {requests, plural, one {# Anfrage} other {# Anfragen}}, deren Antwort verloren ging: Ob der Dienst dafür etwas berechnet hat, ist nicht bekannt.',
  'owner.spending.none': 'In diesem Monat hat kein Server etwas verbraucht.',
  'owner.spending.line': '{rank, number}. {server} (`{id}`): heute {today, number}, in diesem Monat {month, number}',
  'owner.spending.left': 'ein Server, den der Bot verlassen hat',
  'owner.spending.outside':
    'Direktnachrichten, und Server, deren Zahlen gelöscht wurden: heute {today, number}, in diesem Monat {month, number}',
  'owner.reload.description': 'Den Sprachdienst noch einmal nach seinen Stimmen fragen',
  'owner.reload.done':
    'Es gibt {voices, plural, one {# Stimme} other {# Stimmen}} und {models, plural, one {# Modell} other {# Modelle}}.',
  'owner.reload.failed': 'Der Sprachdienst antwortet nicht. Die Liste von {since} bleibt; das Protokoll sagt mehr.',
  'owner.leave.description': 'Den Bot einen Server verlassen lassen',
  'owner.leave.server': 'Tippe seinen Namen oder seine ID und wähle ihn aus',
  'owner.leave.ask':
    '{server} verlassen, mit {members, plural, one {# Mitglied} other {# Mitgliedern}}? Was über ihn gespeichert ist, wird nach 30 Tagen gelöscht, wenn der Bot nicht wieder eingeladen wird.',
  'owner.leave.yes': 'Verlassen',
  'owner.leave.done': 'Der Bot hat {server} verlassen.',
  'owner.message.description': 'An die Admins eines Servers schreiben, oder an alle',
  'owner.message.server': 'Tippe seinen Namen oder seine ID und wähle ihn aus; sonst alle Server',
  'owner.message.title': 'Eine Nachricht an die Admins',
  'owner.message.words': 'Was du ihnen sagen willst',
  'owner.message.to-one': 'An {server}, wo der Bot schreiben darf',
  'owner.message.to-all': 'An jeden Server, wo der Bot schreiben darf',
  'owner.message.empty': 'Es wurde nichts geschrieben, oder mehr als 1.500 Zeichen. Nutze den Befehl noch einmal.',
  'owner.message.ask': 'Das geht an {servers, plural, one {# Server} other {# Server}}:',
  'owner.message.shown': '>>> {words}',
  'owner.message.yes': 'Senden',
  'owner.message.sending': '-# An {done, number} von {servers, number} gesendet …',
  'owner.message.sent': 'An {sent, plural, one {# Server} other {# Server}} gesendet.',
  'owner.message.missed':
    'Nicht gesendet an {missed, plural, one {# Server} other {# Server}}, wo der Bot nirgends schreiben darf oder Discord ablehnte: {servers}',
  'owner.message.heading': '**Von denen, die diesen Bot betreiben, an die, die diesen Server verwalten:**\n{words}',

  'store.failed':
    'Das Gedächtnis des Bots antwortet nicht; deshalb wurde nichts geändert, und was darin steht, lässt sich nicht zeigen. Versuche es in einer Minute noch einmal; geht es weiter nicht, sag es denen, die diesen Bot betreiben.',
  'store.unread':
    'Das Gedächtnis des Bots antwortet nicht; deshalb ist nicht bekannt, was verbraucht wurde. So lange werden neue Texte abgelehnt.',
  'store.last-seen':
    'Das Gedächtnis des Bots antwortet nicht: Dies ist der zuletzt gesehene Stand, und er lässt sich jetzt nicht ändern.',
  'store.failed-text':
    'Das Gedächtnis des Bots antwortet nicht; deshalb kann nichts gesprochen werden. Versuche es in einer Minute noch einmal; geht es weiter nicht, sag es denen, die diesen Bot betreiben.',
  'failed.unexpected':
    'Im Bot ist etwas schiefgegangen. Versuche es noch einmal; geht es weiter nicht, gib denen, die ihn betreiben, diesen Code:',
  'failed.answer-refused':
    'Discord hat die Antwort des Bots abgelehnt, sie kann nicht gezeigt werden. Versuche es noch einmal; geht es weiter nicht, sag es denen, die den Bot betreiben.',

  // What is added to a failure
  'failed.reference': '`{reference}`',
  'failed.part': 'Gesprochen bis zu Teil {part, number} von {parts, number}, der sich nicht erzeugen ließ.',
  'failed.credits-used': '{used, plural, one {# Credit wurde} other {# Credits wurden}} verbraucht.',
  'failed.credits-unknown': 'Vielleicht wurden Credits verbraucht.',
  'failed.credits-maybe-more': 'Was noch in Arbeit war, kostet vielleicht mehr.',
  'failed.credits-none': 'Es wurden keine Credits verbraucht.',
};
