import { SPEED_RANGE, TEMPERATURE_RANGE } from '../speech/interface/models.ts';
import type { Catalog } from './en.ts';

/** German, in the words of Discord's own German client. Commands and options keep their English names. */
export const de: Catalog = {
  'voice.gender.female': 'weiblich',
  'voice.gender.male': 'männlich',
  'voice.accent.american': 'amerikanisch',
  'voice.accent.australian': 'australisch',
  'voice.accent.british': 'britisch',
  'voice.accent.indian': 'indisch',
  'voice.accent.irish': 'irisch',
  'voice.accent.new-york': 'New Yorker Akzent',
  'voice.accent.scottish': 'schottisch',
  'credits.used-and-left':
    '-# {used, plural, one {# Credit} other {# Credits}} verbraucht, {left, plural, one {# Credit} other {# Credits}} übrig.',
  'spent.used': '-# {used, plural, one {# Credit} other {# Credits}} verbraucht.',
  'spent.used-and-own-left':
    '-# {used, plural, one {# Credit} other {# Credits}} verbraucht; von deinen {limit, number} für heute {left, plural, one {ist noch # Credit} other {sind noch # Credits}} übrig.',
  'spent.maybe-more': '-# Vielleicht wurden mehr Credits verbraucht, als bekannt ist.',
  'spent.cached': '-# Aus dem Cache, keine Credits verbraucht.',
  'counted.credits': '{count, plural, one {# Credit} other {# Credits}}',
  'counted.characters': '{count, plural, one {# Zeichen} other {# Zeichen}}',
  'question.cancel': 'Abbrechen',
  'question.canceled': 'Abgebrochen.',
  'parameter.voice': 'Stimme',
  'parameter.style': 'Stil',
  'parameter.speed': 'Tempo',
  'parameter.temperature': 'Temperatur',
  'parameter.spokenName': 'gesprochener Name',
  'parameter.seed': 'Seed',
  'parameter.tags': 'Tags',
  'parameter.languageVoices': 'Stimmen nach Sprache',
  'parameter.language': 'Sprache, in der du schreibst',
  'source.option': 'aus deinem Befehl',
  'source.forced': 'auf diesem Server erzwungen',
  'source.own-here': 'deine Einstellung für diesen Server',
  'source.own-everywhere': 'deine Einstellung für alle Server',
  'source.given': 'auf diesem Server für dich ausgesucht',
  'source.server': 'Standard des Servers',
  'source.bot': 'Standard des Bots',
  'source.voice': 'Standard der Stimme',
  'source.allowed': 'erste erlaubte Stimme dieses Servers',
  'source.server-language': 'Stimme des Servers für diese Sprache',
  'source.own-language': 'deine Stimme für diese Sprache',

  'say.description': 'Text in deinem Sprachkanal vorlesen oder als Audiodatei oder Sprachnachricht senden',
  'say.text': 'Was vorgelesen werden soll',
  'say.voice': 'Stimme nach Name, Sprache, Modell oder Klang, z. B. weiblich; Standard: deine übliche',
  'say.language': 'Sprache des Textes; wird sonst erkannt',
  'say.foreign-language':
    '-# {voice} spricht kein {language}.{chosen, select, yes { Wähle eine andere Stimme, oder lass die Option language weg.} other {}}',
  'say.in-language': '-# {usual} spricht kein {language}, daher {voice}.',
  'say.instead-of': '-# {usual} kann diesen Text nicht sprechen, daher {voice}.',
  'say.stood-in': '-# {voice} ist gerade nicht verfügbar, daher hat {other} gesprochen.',
  'say.style': 'Wie es klingen soll, zum Beispiel: geflüstert. Nur bei manchen Stimmen',
  'style.billed':
    '-# {whose, select, own {Auch der Stil wird berechnet: Er zählt bei jedem Text als} other {Bei den meisten Stimmen wird auch der Stil berechnet: Er zählt bei jedem Text mit seiner Länge plus}} {characters, number}{whose, select, own { weitere} other {}} Zeichen, und noch einmal bei jedem weiteren Teil eines langen Textes und jedem Wechsel der Stimme, etwa in einem Skript.',
  'say.speed': `Tempo: 1 ist normal, ${SPEED_RANGE.min} am langsamsten, ${SPEED_RANGE.max} am schnellsten. Nur bei manchen Stimmen`,
  'say.temperature': `Variation: ${TEMPERATURE_RANGE.min} am gleichmäßigsten, ${TEMPERATURE_RANGE.max} am lebhaftesten. Nur bei manchen Stimmen`,
  'say.seed': 'Mit derselben Zahl klingt derselbe Text wieder gleich. Nur bei manchen Stimmen',
  'say.format': 'Audioformat, das beim Sprachdienst angefragt wird',
  'say.ended':
    '{by, select, nobody {Vorgelesen} requester {Vorzeitig gestoppt,} other {Vorzeitig von <@{by}> gestoppt,}} in {channel} mit {voice}: „{text}“',
  'say.caught-up': '-# Schneller vorgelesen, weil die Warteschlange lang war.',
  'say.default-gone':
    '-# Die Standardstimme dieses Servers, {voice}, gibt es nicht mehr; stattdessen wurde die Standardstimme des Bots verwendet. Die Serververwaltung wählt mit /settings panel eine andere.',
  'say.own-gone':
    '-# Deine Stimme, {voice}, gibt es nicht mehr; stattdessen wurde eine andere verwendet. Wähle mit /voice set eine neue.',
  'say.ignored': '-# {voice} ignoriert {parameters}{other, select, none {} other {, {other} nicht}}.',
  'say.with-voice': 'Mit {voice} vorlesen',
  'say.tags-ignored': '-# {voice} unterstützt keine Sprech-Tags; /tags zeigt, ob andere Stimmen sie unterstützen.',
  'say.only-tags':
    '{voice} unterstützt keine Sprech-Tags, und sonst steht nichts in diesem Text. Füge Wörter hinzu; /tags zeigt, ob andere Stimmen Tags unterstützen.',
  'say.channel-ignored': '-# Die Option channel wurde ignoriert: Sie gilt nur für das Vorlesen in einem Sprachkanal.',
  'say.channel': 'Sprachkanal zum Vorlesen; Standard: deiner',
  'say.as': 'Wohin das Vorgelesene geht, oder ein Skript mit mehreren Stimmen; Standard: Sprachkanal',
  'say.as.voice': 'im Sprachkanal',
  'say.as.file': 'Audiodatei',
  'say.as.voice-message': 'Sprachnachricht',
  'say.as.script': 'ein Skript: mehrere Stimmen',
  'script.form': 'Ein Skript vorlesen',
  'script.form-lines': 'Eine Zeile pro Person, NAME: Text',
  'script.form-hint': 'NAME ist eine Stimme oder ein Mitglied, dessen Stimme spricht. Zum Beispiel: aria: Hallo!',
  'script.no-name':
    'Schreib vor jede Zeile, wer sie spricht, zum Beispiel „aria: Hallo!“. Vor „{line}“ steht kein Name.',
  'script.no-words': 'Nach „{name}:“ gibt es nichts zu sprechen.',
  'script.too-many-lines':
    'Ein Skript darf höchstens {limit, number} Zeilen haben; dieses hat {count, number}. Kürze es.',
  'script.no-options': 'In einem Skript bestimmt der Name vor jeder Zeile die Stimme. Lass Stimme und Sprache weg.',
  'script.several-members':
    'Mehrere Mitglieder heißen „{name}“. Schreib den Benutzernamen des Mitglieds, das du meinst.',
  'script.unknown-names':
    '{count, plural, one {Keine Stimme und kein Mitglied hat diesen Namen} other {Keine Stimme und kein Mitglied hat diese Namen}}: {names}. Verwende Namen aus /voices oder von Mitgliedern, wie sie hier angezeigt werden.',
  'say.form': 'Langen Text vorlesen',
  'say.form-hint': 'Bis zu {limit, plural, one {einem Zeichen} other {# Zeichen}}, ohne Pause vorgelesen.',
  'say.confirm':
    'Das ist ein langer Text: {characters, plural, one {# Zeichen wird} other {# Zeichen werden}} berechnet{style, select, billed { (einschließlich des Stils)} other {}}{about, plural, =0 {} one {, etwa # Credit} other {, etwa # Credits}}. {as, select, voice {Vorlesen?} file {Datei erstellen?} other {Sprachnachricht erstellen?}}',
  'say.confirm-yes': '{as, select, voice {Vorlesen} file {Datei erstellen} other {Sprachnachricht erstellen}}',
  'say.again': 'Erneut versuchen',
  'say.form-over':
    'Was du im Befehl gewählt hast, etwa eine Stimme, ist nicht mehr bekannt: Der Bot wurde neu gestartet, seit du dieses Formular geöffnet hast, oder es war länger als 15 Minuten offen. Dein Text ist nicht verloren: Mit „Bearbeiten“ kannst du ihn ohne diese Auswahl vorlesen lassen oder kopieren.',
  'form.again': 'Bearbeiten',
  'say.skip': 'Überspringen',
  'say.stop': 'Stoppen',
  'say.replay': 'Erneut vorlesen',
  'say.save': 'Als Datei speichern',
  'say.waiting':
    '-# In der Warteschlange auf Position {position, number}{wait, select, unknown {} paused {. Das Vorlesen ist pausiert: /queue zeigt, wessen Text} other {, noch etwa {wait}}}.',
  'say.joining': '-# Tritt {channel} bei …',
  'say.raising-hand': '-# Redeanfrage in {channel} gesendet: Ein Stage-Moderator muss den Bot einladen …',
  'say.synthesizing': '-# Audio wird erzeugt{parts, plural, =1 {} other {: Teil {part, number} von {parts, number}}} …',
  'say.ending': '-# Vorzeitig beendet. Die Kosten werden ermittelt …',
  'say.busy': '-# Der Sprachdienst ist ausgelastet. Weitere Versuche ({seconds, number} s) …',
  'say.speaking':
    '-# Liest {parts, plural, =1 {} other {Teil {part, number} von {parts, number} }}in {channel} mit {voice} vor: „{text}“',
  'say.paused': '-# Pausiert in {channel}. Mit /resume geht es weiter.',
  'say.billed': '-# {characters, plural, one {# Zeichen} other {# Zeichen}} berechnet, in {parts, number} Teilen.',
  'say.file': 'Mit {voice}: „{text}“',
  'say.not-covered':
    'Nicht genug Credits: Das würde etwa {about, number} kosten, mehr als auf dem Konto sind; es wurde nichts erstellt. Versuche es mit einem kürzeren Text, oder bitte den Bot-Betreiber, Credits hinzuzufügen.',
  'say.voice-message': 'Gesendet mit {voice}: „{text}“',
  'say.voice-message-refused':
    '-# Discord erlaubt dem Bot hier keine Sprachnachrichten, deshalb ist dies eine Datei. Auf einem Server braucht der Bot die Berechtigung „Sprachnachrichten senden“.',
  'say.no-voice-here':
    'Hier gibt es keinen Sprachkanal. Wähle in der Option as von /say „Audiodatei“ oder „Sprachnachricht“.',
  'say.too-long':
    'Zu lang: Der Text hat {counted, select, spoken {vorgelesen } other {}}{length, number} Zeichen, dieser Server erlaubt {limit, number}. Kürze ihn.',
  'say.empty': 'In diesem Text gibt es nichts vorzulesen: Er braucht einen Buchstaben, eine Ziffer oder ein Emoji.',
  'say.silenced':
    'Das Wörterbuch dieses Servers lässt von dem Text nichts übrig. Verwende andere Wörter, oder bitte die Serververwaltung, es mit /dictionary list zu ändern.',
  'speak-message.name': 'Vorlesen',

  'speak-message.description': 'Diese Nachricht mit deiner Stimme in deinem Sprachkanal vorlesen',
  'save-speech.name': 'Als Audio speichern',
  'save-speech.description': 'Diese Nachricht mit deiner Stimme als Audiodatei speichern',
  'speak-message.opted-out': 'Wer diese Nachricht geschrieben hat, möchte nicht vorgelesen werden.',
  'speak-message.bots-own':
    'Diese Nachricht ist vom Bot selbst. Den Text hörst du noch einmal mit „Erneut vorlesen“ darunter oder mit /replay; „Als Datei speichern“ gibt dir die Audiodatei.',
  'save.saved': 'Gespeichert: „{text}“',

  'voices.description': 'Verfügbare Stimmen anzeigen',
  'voices.search': 'Nur Stimmen mit passendem Namen, Modell, Klang (z. B. weiblich) oder passender Sprache',
  'voices.title': '{count, plural, one {# Stimme} other {# Stimmen}} zur Auswahl:',
  'voices.found': '{count, plural, one {# Stimme passt} other {# Stimmen passen}} zu „{search}“:',
  'voices.line': '- **{name}** ({model}), {language}{options, select, none {} other {; unterstützt {options}}}',
  'voices.any-language': 'mehrsprachig',
  'voices.languages': '{count, plural, one {# Sprache} other {# Sprachen}}',
  'voices.choose': 'Stimme zum Anhören oder Verwenden auswählen',
  'voices.hint':
    '-# Wähle unten eine aus, um sie anzuhören oder zu verwenden, oder gib ihren Namen in der Option voice von /say ein.',
  'voices.none':
    'Keine Stimme passt zu „{search}“. Versuche einen kürzeren Suchbegriff oder /voices ohne Optionen für die ganze Liste.',
  'voices.gone': 'Diese Stimme gibt es nicht mehr. Die aktuelle Liste findest du unter /voices.',
  'voices.card': '**{name}**\nModell: {model}\n{languages}\nFormate: {formats}\nOptionen: {options}',
  'voices.card-with-sound': '**{name}** · {sound}\n{languages}\nOptionen: {options}',
  'voices.card.speaks': 'Spricht {count, plural, one {# Sprache} other {# Sprachen}}',
  'voices.card.language': 'Sprache: {language}',
  'voices.card.more-options': 'vielleicht weitere',
  'voices.card.options-unknown': 'unbekannt',
  'voices.preview': 'Anhören',
  'voices.preview-about': 'Anhören (etwa {about, plural, one {# Credit} other {# Credits}})',
  'voices.preview-billed': 'Anhören (berechnet {characters, plural, one {wird # Zeichen} other {werden # Zeichen}})',
  'voices.use-mine': 'Als meine Stimme verwenden',
  'voices.mine':
    '{where, select, here {Deine Stimme auf diesem Server} other {Deine Stimme auf allen Servern}} ist jetzt {voice}{before, select, none {} other { (vorher {before})}}.',
  'voices.use-as-mine': '{voice} als meine Stimme verwenden',
  'voices.use-default': 'Als Serverstandard verwenden',
  'voices.sample': 'Hallo! So klinge ich. Ich hoffe, meine Stimme gefällt dir.',
  'voices.listen': 'Diese nacheinander anhören',
  'voices.named-sample': 'Hallo, ich bin {name}.',
  'voices.previewed': 'Das war {voice}.',
  'voices.stale': '-# Der Sprachdienst antwortet nicht. Stand der Liste: {since}.',

  'tags.description': 'Sprech-Tags anzeigen, die eine Stimme unterstützt',
  'tags.voice': 'Die Stimme; Standard: deine übliche',
  'tags.none':
    '{voice} unterstützt keine Tags: {tags, select, left {/say lässt gängige weg, andere werden vorgelesen} other {Alle Wörter in Klammern werden vorgelesen und zählen als Zeichen}}. {models, select, none {Nutze stattdessen die Option style von /say, wenn die Stimme sie unterstützt.} other {Stimmen von {models} unterstützen sie: Wähle eine unter /voices.}}',
  'tags.square':
    '{voice} unterstützt Tags in eckigen Klammern, in deinen eigenen Worten, an der Stelle, wo sie wirken sollen: `[whispering]`, `[cheerful]`, `[pause]`.',
  'tags.angle':
    '{voice} unterstützt kurze Tags in spitzen Klammern, in deinen eigenen Worten, an der Stelle, wo man sie hören soll: `<sigh>`, `<short pause>`. Wie der ganze Text klingt, bestimmst du mit der Option style von /say.',
  'tags.closed': '{voice} unterstützt diese Tags.',
  'tags.instant': 'An einer Stelle: {tags}',
  'tags.wrapping': 'Um Wörter herum: {tags}',
  'tags.hint':
    '-# Schreibe sie in den Text von /say. Sie zählen als Zeichen, und ein falsch geschriebenes Tag wird vorgelesen.',

  'voice.description': 'Deine Stimme und ihren Klang einstellen',
  'voice.set.description': 'Stimme, Stil, Tempo oder Temperatur für alle deine Texte speichern',
  'voice.set.voice': 'Name, Sprache, Modell oder Klang (z. B. weiblich) eingeben und die Stimme wählen',
  'voice.name.description': 'Festlegen, wie der Bot deinen Namen ausspricht',
  'voice.name.name': 'Dein Name, wie er klingt, zum Beispiel: Schiwonn',
  'voice.name.kept':
    '{where, select, here {Für diesen Server gespeichert: Der} other {Für alle Server gespeichert: Der}} Bot spricht deinen Namen als „{name}“ aus.',
  'voice.name.unspeakable': 'In „{name}“ gibt es nichts auszusprechen. Verwende Buchstaben oder Zahlen.',
  'voice.name.blocked':
    'Der Bot kann deinen Namen nicht als „{name}“ aussprechen: Der Server sperrt ein Wort darin. Wähle einen anderen Namen.',
  'voice.show.name':
    '- Name, wie er gesprochen wird: {name} ({source}{use, select, blocked {; hier nicht verwendet, denn dieser Server sperrt ein Wort darin} other {}})',
  'voice.show.description': 'Anzeigen, welche Stimmeinstellungen für dich gelten und woher sie kommen',
  'voice.reset.description': 'Deine gespeicherten Stimmeinstellungen zurücksetzen',
  'voice.reset.what': 'Welche Einstellung zurückgesetzt wird; Standard: alle',
  'voice.where': 'Wo es gilt; Standard: auf diesem Server',
  'voice.where.here': 'auf diesem Server',
  'voice.where.everywhere': 'auf allen Servern',
  'voice.style-billed': '{style}, wird bei jedem Text als {characters, number} Zeichen berechnet',
  'setting.unset.none': 'nicht festgelegt',
  'voice.set.kept': '{where, select, here {Gespeichert für diesen Server:} other {Gespeichert für alle Server:}}',
  'voice.set.changed': '- {parameter}: {after} (vorher {before})',
  'voice.set.unchanged': '- {parameter}: {after}, unverändert.',
  'voice.set.nothing': 'Gib an, was gespeichert werden soll: Stimme, Sprache, Stil, Tempo oder Temperatur.',
  'voice.set.shadowed':
    '-# Hier haben deine Einstellungen für diesen Server Vorrang: {parameters}. Mit /voice reset entfernst du sie.',
  'voice.set.overruled': '-# Auf diesem Server wird trotzdem {voice} verwendet: {source}.',
  'voice.show.title': 'Deine Stimmeinstellungen {where, select, here {auf diesem Server} other {für alle Server}}:',
  'voice.show.gone': '-# Die ausgewählte Stimme, {voice}, gibt es nicht mehr ({source}).',
  'voice.show.hint':
    '-# Ändere sie mit /voice set{own, select, yes {, setze sie mit /voice reset zurück} other {}}. Die Optionen von /say haben Vorrang.',
  'voice.set.language': 'Mit Stimme: nur für diese Sprache. Ohne: die Sprache, in der du meist schreibst',
  'voice.reset.done': '{where, select, here {Für diesen Server zurückgesetzt:} other {Für alle Server zurückgesetzt:}}',
  'voice.reset.value': '- {parameter}: vorher {before}, jetzt {value} ({source})',
  'voice.reset.nothing':
    '{where, select, here {Für diesen Server gibt es nichts zurückzusetzen.} other {Für alle Server gibt es nichts zurückzusetzen.}}{elsewhere, select, here { Was du für diesen Server gespeichert hast, bleibt: Um es zurückzusetzen, lass die Option where weg.} everywhere { Was du für alle Server gespeichert hast, bleibt: Um es zurückzusetzen, wähle das in der Option where.} other {}}',

  'credits.description': 'Anzeigen, was du verbraucht hast und was übrig ist',
  'credits.left': '{left, plural, one {# Credit} other {# Credits}} übrig.',
  'credits.own-count':
    '-# Das zählt der Bot selbst: Was der Anbieter seiner Stimmen berechnet und was dort übrig ist, ist hier nicht bekannt.',
  'credits.updated': 'Zuletzt aktualisiert {when}.',
  'credits.used':
    '- {who, select, here {Du auf diesem Server} everywhere {Du auf allen Servern} server {Dieser Server} other {Alle Server}}: heute {today} von {limit, number} verbraucht, in diesem Monat {month, number}.',
  'credits.cached':
    '-# {who, select, everywhere {Du auf allen Servern} other {Dieser Server}}: {month, plural, one {# Text kam in diesem Monat aus dem Cache; er kostete nichts.} other {# Texte kamen in diesem Monat aus dem Cache; sie kosteten nichts.}}',
  'credits.renews': 'Die Tageslimits werden {when} zurückgesetzt, um 00:00 UTC.',

  'account.low': '{left} {remedy} Heute kommt diese Nachricht nicht noch einmal.',
  'account.left':
    'Es {left, plural, =0 {sind keine Credits} one {ist nur noch # Credit} other {sind nur noch # Credits}} übrig.',
  'account.ran-out': 'Der Sprachdienst hat einen Text abgelehnt, weil keine Credits mehr da sind.',
  'account.allowance':
    '{left, plural, =0 {Die eingebaute Stimme hat ihr Kontingent aufgebraucht.} one {Die eingebaute Stimme hat noch # Zeichen übrig.} other {Die eingebaute Stimme hat noch # Zeichen übrig.}}',
  'account.remedy': 'Lade das Konto beim Sprachdienst auf.',
  'account.remedy-url': 'Hier kannst du aufladen: {url}',
  'account.remedy-local':
    'Füge mit `{command}` weitere hinzu; siehe „Topping up“ in docs/reference/speech-service.md. Mit einem eigenen DATA_DIR hänge `--data DATA_DIR/speech` an.',
  'account.lost-sounds':
    '{lost, plural, one {Der letzte Text} other {Die letzten # Texte}} mit dem Modell {model} {lost, plural, one {wurde bezahlt, konnte} other {wurden bezahlt, konnten}} aber nicht abgespielt werden. {why, select, refused {Das Audio liegt an Adressen, von denen der Bot nichts herunterladen darf: Prüfe AUDIO_HOSTS.} unreachable {Das Audio konnte nicht heruntergeladen werden.} unplayable {Das Audio ist beschädigt, in keinem Format, das sich abspielen lässt, oder ohne die Wörter des Textes.} endless {Das Audio war viel länger als der Text.} other {Das Audio ist länger, als der Bot am Stück abspielen kann.}} Der Fehler steht im Log. Der Bot bezahlt für dieses Modell nichts mehr, außer für Tests in wachsenden Abständen. Du bekommst noch eine Nachricht, wenn es wieder funktioniert.',
  'account.lost-answers':
    'Zu {lost, plural, one {dem letzten Text} other {den letzten # Texten}} mit dem Modell {model} kam kein Audio, und womöglich {lost, plural, one {wurde er} other {wurden sie}} trotzdem berechnet: Der Sprachdienst oder der Server hinter ihm hat nicht geantwortet, oder nicht mit Audio. Der Fehler steht im Log. Der Bot bezahlt für dieses Modell nichts mehr, außer für Tests in wachsenden Abständen. Du bekommst noch eine Nachricht, wenn es wieder funktioniert.',
  'account.absurd-bill':
    'Die Rechnung des Sprachdiensts für einen Text (Modell {model}) kann nicht stimmen: Sie liegt über dem 1.000-Fachen des höchsten bekannten Preises. Der Bot richtet sich nicht danach: Er zählt, was er erwartet hat, und die Rechnung steht im Log. Sieh im Konto des Dienstes nach: Wurde sie wirklich abgebucht, erfassen die Limits des Bots sie nicht. Heute kommt diese Nachricht nicht noch einmal.',
  'account.sounds-arrive':
    'Audio vom Modell {model} lässt sich wieder abspielen. Neue Texte werden wie gewohnt vorgelesen.',

  'settings.description': 'Die Einstellungen des Bots für diesen Server ändern',
  'settings.panel.description': 'Alle Einstellungen dieses Servers öffnen',
  'settings.read.description': 'Nachrichten eines Kanals vorlesen oder damit aufhören',
  'settings.read.channel': 'Textkanal, Forum oder Sprachkanal (dessen Chat)',
  'settings.read.on': 'Vorlesen an oder aus (Standard: an)',
  'settings.mute.description': 'Ein Mitglied für den Bot stummschalten oder die Stummschaltung aufheben',
  'settings.mute.member': 'Das Mitglied',
  'settings.mute.on': 'Stumm oder nicht (Standard: stumm)',
  'settings.mute.itself': 'Das ist der Bot selbst. Wähle ein Mitglied aus, oder schicke den Bot mit /leave weg.',
  'settings.mute.undo': '/settings mute member:{member} on:False hebt das auf.',
  'settings.managers-exempt': 'Die Serververwaltung kann /say weiterhin nutzen.',
  'settings.changed': '{setting}: jetzt {after} (vorher {before}).',
  'settings.unchanged': 'Nichts geändert.',
  'settings.title': '## Servereinstellungen',
  'settings.page.voices': 'Stimmen',
  'settings.page.people': 'Berechtigungen',
  'settings.page.limits': 'Limits',
  'settings.page.reading': 'Nachrichten vorlesen, Ansagen',
  'settings.page.presence': 'Anwesenheit und Sprache',
  'settings.page.words': 'Gesperrte Wörter',
  'settings.page.data': 'Export, Import, Zurücksetzen',
  'settings.change': 'Ändern',
  'settings.turn-on': 'Einschalten',
  'settings.turn-off': 'Ausschalten',
  'settings.choose-texts': 'Texte und Warteschlange',
  'settings.choose-credits': 'Limits pro Tag',
  'settings.choose-times': 'Wann der Bot geht',
  'settings.voice-hint': 'Ein Name aus /voices; leer: keine',
  'settings.forced-note': '-# Vor der erzwungenen Stimme hat nur eine in /say gewählte Vorrang, falls erlaubt.',
  'settings.words-hint':
    'Eines pro Zeile oder mit Komma. Ganze Wörter, Akzente und Umlaute egal; mit * auch längere: banane*',
  'settings.exceptions-hint':
    'Werden doch vorgelesen, genau so geschrieben: schwül trotz „schwul“, Moby Dick trotz „dick“',
  'settings.credits-hint': 'Höchstens das Limit des Bot-Betreibers; leer: dieses Limit',
  'settings.range': '{min, number} bis {max, number}{unit, select, seconds { Sekunden} other {}}; leer: Standard',
  'settings.bad-number':
    '{setting}: Gib {whole, select, yes {eine ganze Zahl} seconds {eine ganze Anzahl Sekunden} other {eine Zahl}} von {min, number} bis {max, number} ein.',
  'settings.too-many': '{setting}: Das Maximum ist {limit, number}.',
  'settings.bad-word': '„{word}“: {problem}',
  'settings.reading-off':
    '⚠️ Der Bot kann noch keine Nachrichten vorlesen: READ_MESSAGES ist aus. Bitte den Bot-Betreiber, es einzuschalten.',
  'settings.reading-unseen':
    '-# Der Bot sieht {channels} nicht, deshalb wird dort nichts vorgelesen. Gib ihm die Berechtigung „Kanal anzeigen“.',
  'settings.blocked-hint':
    '-# Wird ein Text abgelehnt, erfährt es, wer ihn geschickt hat. Eine Nachricht, die vorgelesen würde, wird dann ohne Hinweis ausgelassen; nur das Moderationsprotokoll vermerkt sie.',
  'settings.bleep-hint':
    '-# Statt eines gesperrten Wortes wird „piep“ gesprochen, in der Sprache des Servers. Abgelehnt wird weiterhin ein Skript, wenn ein gesperrter Ausdruck aus mehreren Wörtern von einer seiner Zeilen in die nächste reicht.',
  'settings.moderation-hint':
    '-# Das Moderationsprotokoll zeigt, wer wann einen Text vorlesen ließ, seine Länge und Stimme und was daraus wurde, nie den Text selbst. Wegen eines gesperrten Wortes abgelehnte Texte stehen darin; Versuche von Mitgliedern, die den Bot nicht benutzen dürfen, nicht.',
  'settings.auto-join-obstacle': '⚠️ Der Bot kann noch nicht von selbst beitreten. {why}',
  'settings.auto-join-gone':
    '⚠️ Den Kanal, dem der Bot von selbst beitreten soll, gibt es nicht mehr. Wähle einen anderen.',
  'settings.dictionary-hint': '-# Die Aussprache von Wörtern legst du mit /dictionary fest.',
  'settings.data':
    'Export gibt dir eine Datei mit allen Einstellungen dieses Servers. Import ersetzt sie durch die aus einer Datei, Zurücksetzen stellt überall den Standard wieder her; beide geben dir eine Datei mit den alten Einstellungen.',
  'settings.export': 'Export',
  'settings.exported':
    'Alle Einstellungen dieses Servers, außer dem Wörterbuch (/dictionary export). Mit Import stellst du sie wieder her.',
  'settings.import': 'Import',
  'settings.import-file': 'Datei',
  'settings.import-hint': 'Eine Datei aus dem Export; sie ersetzt alle Einstellungen',
  'settings.import-elsewhere':
    '⚠️ Ausgelassen wurden Kanäle und Rollen, die es auf diesem Server nicht gibt, bei: {settings}. Eine Beschränkung, von der nichts übrig bleibt, gilt nicht.',
  'settings.import-wrong':
    '{where, select, nowhere {Diese Datei ist kein Export von Einstellungen} other {Diese Datei hat einen Fehler bei „{where}“}}; es wurde nichts geändert. Nimm eine Datei aus dem Export.',
  'settings.reset': 'Zurücksetzen',
  'settings.reset-sure':
    'Alle Einstellungen dieses Servers zurücksetzen? Du bekommst eine Datei mit den alten Einstellungen.',
  'settings.reset-yes': 'Alles zurücksetzen',
  'settings.was-reset':
    'Alle Einstellungen wurden zurückgesetzt. {file, select, yes {Diese Datei enthält die alten: Mit Import stellst du sie wieder her.} other {Eine Datei mit den alten gibt es nicht, weil sie nicht lesbar waren.}}',
  'settings.unreadable':
    'Die Einstellungen dieses Servers sind nicht lesbar: Hier wird nichts gesprochen, und keine lässt sich ändern. Importiere auf der Seite „{page}“ von /settings panel eine Datei mit Einstellungen oder setze sie zurück.',
  'upload.none': 'Es wurde keine Datei hochgeladen. Wähle eine aus und sende das Formular noch einmal.',
  'upload.too-large': 'Diese Datei ist zu groß: Das Maximum ist {kilobytes, number} kB. Es wurde nichts geändert.',
  'upload.not-text':
    'Das ist keine Textdatei in UTF-8; es wurde nichts geändert. Speichere sie als UTF-8 (in Excel: „CSV UTF-8“) und importiere sie noch einmal.',
  'upload.unreachable':
    'Die Datei konnte nicht von Discord heruntergeladen werden; es wurde nichts geändert. Versuche es noch einmal.',

  'setting.defaultVoice': 'Standardstimme',
  'setting.giveOwnVoices': 'Mitgliedern ohne Stimme eine eigene geben',
  'setting.forcedVoice': 'Eine Stimme erzwingen',
  'setting.allowedModels': 'Erlaubte Modelle',
  'setting.languageVoices': 'Stimmen nach Sprache',
  'setting.allowedRoles': 'Erlaubte Rollen',
  'setting.blockedRoles': 'Gesperrte Rollen',
  'setting.mutedMembers': 'Stummgeschaltete Mitglieder',
  'setting.allowedChannels': 'Erlaubte Kanäle',
  'setting.maxCharacters': 'Maximale Textlänge, in Zeichen',
  'setting.confirmAboveCharacters': 'Nachfragen bei mehr als (Zeichen)',
  'setting.queueLimit': 'Limit der Warteschlange',
  'setting.catchUp': 'Bei langer Warteschlange schneller vorlesen',
  'setting.cooldownSeconds': 'Pause zwischen zwei Texten',
  'setting.textsInTenSeconds': 'Texte pro Mitglied in 10 Sekunden',
  'setting.creditsPerServer': 'Credits pro Tag, Server',
  'setting.creditsPerMember': 'Credits pro Tag, jedes Mitglied',
  'setting.creditsPerServer.free': 'Zeichen pro Tag, Server',
  'setting.creditsPerMember.free': 'Zeichen pro Tag, jedes Mitglied',
  'setting.autoReadChannels': 'Vorgelesene Kanäle',
  'setting.autoReadVoiceChat': 'Chat des Sprachkanals vorlesen',
  'setting.autoReadVoiceChat.never': 'nie',
  'setting.autoReadVoiceChat.joined': 'nach /join',
  'setting.autoReadVoiceChat.always': 'immer',
  'setting.autoReadOnlyInVoice': 'Nur vorlesen, wer im Sprachkanal ist',
  'setting.autoReadNames': 'Ansagen, wer schreibt',
  'setting.autoReadNames.always': 'jedes Mal',
  'setting.autoReadNames.on-change': 'wenn jemand anderes schreibt',
  'setting.autoReadNames.never': 'nie',
  'setting.autoReadBots': 'Bots und Webhooks vorlesen',
  'setting.announceMembers': 'Ansagen, wer beitritt und wer geht',
  'setting.aloneSeconds': 'Verlassen, wenn der Bot allein ist, nach',
  'setting.idleSeconds': 'Verlassen bei Stille, nach',
  'setting.autoJoinChannel': 'Von selbst beitreten, sobald ein Mitglied beitritt',
  'setting.hushed': 'Ohne Nachricht verlassen',
  'setting.language': 'Sprache der Ansagen und Emojis',
  'setting.blockedWords': 'Gesperrte Wörter',
  'setting.blockedWordsExceptions': 'Ausnahmen von gesperrten Wörtern',
  'setting.blockedWordsMode': 'Umgang mit gesperrten Wörtern',
  'setting.blockedWordsMode.refuse': 'Text ablehnen',
  'setting.blockedWordsMode.bleep': 'durch „piep“ ersetzen',
  'setting.moderationChannel': 'Moderationsprotokoll',
  'setting.on': 'an',
  'setting.off': 'aus',
  'setting.at-once': 'sofort',
  'words.count': '{count, plural, one {# Wort} other {# Wörter}}',
  'list.more': '{count, number} weitere',
  'setting.no-limit': 'kein Limit',
  'setting.owners-limit': '{limit, number} (Limit des Bot-Betreibers)',
  'setting.above-owners-limit': '{value, number} (das Limit des Bot-Betreibers ist aber {limit, number})',
  'setting.unset.all': 'alle',
  'setting.unset.server': 'die Sprache des Servers in Discord',
  'setting.unset.default': 'Standard',
  'setting.default-of': 'Standard ({value})',
  'setting.not-allowed': '{voice}, nicht erlaubt und daher nicht verwendet',

  'settings.before': 'Diese Datei enthält die Einstellungen vor der Änderung: Mit Import stellst du sie wieder her.',
  'settings.bad-language-line': '„{line}“ ist keine Sprache mit Stimme. Schreib eine pro Zeile, etwa „de: aria“.',
  'settings.language-voices-hint': 'Eine pro Zeile: Sprache und Stimme, etwa „de: aria“; leer für keine',

  'stop.description': 'Deine Texte stoppen; als Moderator alle',
  'stop.stopped':
    '{waiting, plural, =0 {Gestoppt.} one {Gestoppt und # Text aus der Warteschlange entfernt.} other {Gestoppt und # Texte aus der Warteschlange entfernt.}}',
  'stop.own': '{count, plural, one {Dein Text wurde entfernt.} other {Deine # Texte wurden entfernt.}}',
  'stop.nothing': 'Gerade wird nichts vorgelesen.',
  'stop.not-yours':
    'Du hast hier keinen Text zum Stoppen. Was für {member} vorgelesen wird, darf nur diese Person oder die Moderation stoppen.',
  'skip.description': 'Den aktuellen Text oder einen in der Warteschlange überspringen',
  'skip.position': 'Position in /queue; Standard: der aktuelle Text',
  'skip.removed-of-other': 'Ein Text von {member} wurde aus der Warteschlange entfernt.',
  'skip.skipped-of-other': 'Ein Text von {member} wurde übersprungen.',
  'skip.gone':
    'Diesen Text gibt es in der Warteschlange nicht. Wähle einen aus der Liste, oder gib seine Position in /queue an.',
  'skip.not-yours': 'Das ist ein Text von {member}. Das darf nur diese Person oder die Moderation.',
  'pause.description': 'Vorlesen pausieren; /resume setzt es fort',
  'pause.paused': 'Pausiert. Mit /resume geht es weiter.',
  'pause.already': 'Ist schon pausiert. Mit /resume geht es weiter.',
  'resume.description': 'Nach /pause fortsetzen',
  'resume.resumed': 'Fortgesetzt.',
  'resume.nothing': 'Es ist nichts pausiert.',
  'queue.description': 'Den aktuellen Text und die Warteschlange anzeigen',
  'queue.empty': 'Die Warteschlange ist leer. Mit /say lässt du etwas vorlesen.',
  'queue.now': 'Jetzt: {member}: {words}',
  'queue.paused': 'Pausiert: {member}: {words}',
  'queue.nothing-waits': 'Keine weiteren Texte in der Warteschlange.',
  'queue.waiting': '{position, number}. {member}: {words}{wait, select, unknown {} other { (in etwa {wait})}}',
  quoted: '„{words}“',
  'queue.unseen': 'in einem Sprachkanal, den du nicht betreten kannst',
  'page.of': '-# Seite {page, number} von {pages, number}',
  'page.previous': 'Vorherige Seite',
  'page.next': 'Nächste Seite',
  'page.refresh': 'Aktualisieren',
  'replay.description': 'Den letzten Text noch einmal vorlesen',
  'replay.speaking': '-# Liest in {channel} noch einmal vor: „{text}“',
  'replay.ended':
    '{by, select, nobody {Noch einmal vorgelesen} requester {Vorzeitig gestoppt,} other {Vorzeitig von <@{by}> gestoppt,}} in {channel}: „{text}“',
  'join.description': 'Den Bot in einen Sprachkanal holen',
  'join.channel': 'Kanal, dem der Bot beitritt; Standard: deiner',
  'join.joined': '{channel} beigetreten.',
  'join.reads-no-longer': 'Der Chat von {channel} wird nicht mehr vorgelesen. Mit /join schaltest du das wieder ein.',
  'join.always-read':
    'Nach den Einstellungen des Servers wird der Chat von {channel} vorgelesen. Mit /opt-out nimmst du deine Nachrichten davon aus, auf diesem und allen anderen Servern.',
  'join.stop-reading': 'Chat nicht vorlesen',
  'join.reads-chat': '-# Solange der Bot dort ist, werden Nachrichten im Chat von {channel} vorgelesen.',
  'join.already': 'Der Bot ist schon in {channel}.',
  'leave.description': 'Den Sprachkanal verlassen und die Warteschlange leeren',
  'leave.left': '{channel} verlassen.',
  'leave.not-yours':
    '{member} hat dort noch Texte in der Warteschlange. Versuche es wieder, wenn sie vorgelesen sind, oder bitte die Moderation, den Bot sofort wegzuschicken.',
  'leave.absent': 'Der Bot ist in keinem Sprachkanal dieses Servers.',
  'about.description': 'Infos über den Bot und seine Stimme anzeigen',
  'about.crier': 'Crier {version}, ein Text-to-Speech-Bot für Sprachkanäle.',
  'about.voice-free': 'Die Stimme ist kostenlos.',
  'about.voice-service': 'Die Stimme kommt von einem Sprachdienst; /credits zeigt, was verbraucht und was übrig ist.',
  'about.ping': 'Latenz zu Discord: {ping, number} ms.',
  'about.hint': '-# /help zeigt alle Befehle, /privacy die gespeicherten Daten.',

  'help.description': 'Anzeigen, was der Bot kann',
  'help.command-option': 'Befehl, der mit seinen Optionen erklärt wird',
  'help.title-direct': 'Gib /say ein: Der Bot antwortet mit einer Sprachnachricht oder einer Audiodatei.',
  'help.title': 'Tritt einem Sprachkanal bei und gib /say ein: Der Bot kommt dazu und liest vor.',
  'help.message-command': '**{name}** (im Menü Apps einer Nachricht): {description}',
  'help.managers': '**Für die Serververwaltung**',
  'help.more': '-# /help mit einem Befehl zeigt dessen Optionen.',
  'help.unknown': 'Es gibt keinen Befehl „{name}“. /help allein listet alle auf.',
  'help.for-managers': '-# Für die Serververwaltung und alle, die sie für den Befehl freigeschaltet hat.',
  'help.option': '- {name}{required, select, yes {} other { (optional)}}: {description}',

  'refused.not-in-voice': 'Du bist in keinem Sprachkanal. Tritt einem bei und versuche es dann noch einmal.',
  'refused.server-only': 'Das geht nur auf einem Server, nicht in Direktnachrichten.',
  'refused.direct-off':
    'Der Bot-Betreiber hat den Bot nicht für Direktnachrichten und andere Server freigegeben. Nutze ihn auf einem Server, auf dem er Mitglied ist.',
  'refused.not-permitted': 'Das darf nur die Serververwaltung.',
  'refused.not-given':
    'Das darf nur die Serververwaltung und alle, die sie für den Befehl freigeschaltet hat. Wenn du dazugehörst, nutze /{command}.',
  'refused.you-lack': 'Du kannst den Bot nicht in {channel} schicken, dir fehlt dort: {permissions}.',
  'refused.over': 'Nicht mehr verfügbar. Nutze den Befehl noch einmal.',
  'refused.pressed-already': 'Das hast du schon beantwortet.',
  'refused.member-muted': 'Die Serververwaltung hat dich für diesen Bot stummgeschaltet.',
  'refused.blocked-role': 'Mitglieder mit {role} dürfen den Bot auf diesem Server nicht nutzen.',
  'refused.role-needed': 'Um den Bot auf diesem Server zu nutzen, brauchst du eine dieser Rollen: {roles}.',
  'refused.channel-needed': 'Auf diesem Server kann der Bot nur hier genutzt werden: {channels}.',
  'refused.not-spoken-there': 'Auf diesem Server liest der Bot nicht in {channel} vor, nur in {channels}.',
  'refused.server-cooldown':
    'Auf diesem Server muss zwischen zwei Texten eine Pause liegen. Versuche es in {seconds, plural, one {# Sekunde} other {# Sekunden}} noch einmal.',
  'refused.too-many-texts':
    'Jedes Mitglied kann in 10 Sekunden {count, plural, one {# Text} other {# Texte}} vorlesen lassen. Versuche es in {seconds, plural, one {# Sekunde} other {# Sekunden}} noch einmal.',
  'refused.voice-not-allowed':
    '{voice} ist auf diesem Server nicht erlaubt. Erlaubte Stimmen findest du unter /voices.',
  'refused.cooldown': 'Zu schnell. Versuche es in {seconds, plural, one {# Sekunde} other {# Sekunden}} noch einmal.',
  'refused.missing-permissions':
    'Der Bot kann in {channel} nicht sprechen, ihm fehlt: {permissions}. Bitte die Serververwaltung, ihm das in diesem Kanal zu erlauben.',
  'refused.channel-full':
    '{channel} ist voll ({limit, plural, one {# Person} other {# Personen}}). Versuche es noch einmal, sobald ein Platz frei oder das Benutzerlimit erhöht ist.',
  'refused.stage':
    'Der Bot kann auf der Stage {channel} nicht sprechen: Ihm fehlen „Mitglieder stummschalten“ und „Redeanfrage“. Bitte die Serververwaltung um eine der beiden Berechtigungen, oder nutze einen Sprachkanal.',
  'stage.not-invited':
    'Der Bot hat in {channel} eine Redeanfrage gestellt, wurde aber nicht eingeladen. Versuche es noch einmal und lass ihn innerhalb einer Minute von einem Stage-Moderator einladen.',
  'refused.busy-elsewhere':
    'Der Bot ist gerade mit anderen in {channel}. Tritt dort bei, oder warte, bis er den Kanal verlässt.',
  'refused.nobody-there':
    'In {channel} ist niemand, der es hören könnte. Tritt dem Kanal bei, oder wähle einen, in dem jemand ist.',
  'refused.other-channel': 'Der Bot ist in {channel}. Tritt dort bei und versuche es noch einmal.',
  'refused.queue-full':
    'Die Warteschlange ist voll ({limit, plural, one {# Text} other {# Texte}}). Versuche es wieder, wenn Platz ist.',
  'refused.own-queue-full':
    'Pro Person {limit, plural, one {ist # Text} other {sind # Texte}} in der Warteschlange möglich. Versuche es wieder, wenn Platz ist.',
  'refused.duplicate':
    'Dieser Text ist schon in der Warteschlange. Du kannst ihn wieder senden, sobald er vorgelesen wurde.',
  'refused.afk':
    '{channel} ist der AFK-Kanal dieses Servers, dort ist niemand zu hören. Tritt einem anderen Sprachkanal bei und versuche es dann noch einmal.',
  'refused.by-rules': 'Die Regeln dieses Servers erlauben nicht, das vorzulesen.',
  'refused.muted':
    'Die Moderation hat den Bot auf diesem Server stummgeschaltet, niemand kann ihn hören. Bitte die Moderation, das aufzuheben: Rechtsklick auf den Bot, Server-Stummschaltung.',
  'refused.timed-out':
    'Der Bot ist auf diesem Server bis {until} im Timeout. Bitte die Moderation, den Timeout aufzuheben, oder versuche es danach noch einmal.',
  'replay.gone':
    'Nicht mehr verfügbar: Nur die letzten Texte bleiben gespeichert, höchstens 15 Minuten lang; /forget oder ein Neustart des Bots entfernt sie sofort. Nutze /say noch einmal mit dem Text.',
  'replay.nothing':
    'Es gibt nichts, was noch einmal vorgelesen werden könnte: Nur die letzten Texte bleiben gespeichert, höchstens 15 Minuten lang, ein abgebrochener nur, wenn er schon ganz erzeugt war; /forget oder ein Neustart des Bots entfernt sie sofort. Nutze /say, um einen Text vorlesen zu lassen.',
  'replay.unseen': 'Das wurde in einem Sprachkanal vorgelesen, den du nicht betreten kannst.',
  'refused.spending':
    'Über {scope, select, here {deinem Limit auf diesem Server} member {deinem Limit} server {dem Limit dieses Servers} other {dem Limit des Bots}}: Das kostet etwa {about, number}, und heute {scope, select, here {hast du} member {hast du} other {sind}} noch {left, number} von {limit, number} übrig. Wird {when} zurückgesetzt.',
  'refused.spending.never':
    'Über {scope, select, here {deinem Limit auf diesem Server} member {deinem Limit} server {dem Limit dieses Servers} other {dem Limit des Bots}}: Das kostet etwa {about, number}, mehr als die {limit, number} eines ganzen Tages. {advice}',
  'refused.spending.off':
    'Sprachausgabe ist{scope, select, member { für Mitglieder} server { auf diesem Server} total {} other { für Mitglieder dieses Servers}} ausgeschaltet: Das Limit ist 0 pro Tag. {advice}',
  'refused.spending.others':
    'Dieser Text kostet mehr, als dieses Mitglied heute noch verbrauchen kann. Wird {when} zurückgesetzt.',
  'refused.spending.others-never':
    'Dieser Text kostet mehr, als dieses Mitglied an einem ganzen Tag verbrauchen darf. {advice}',
  'refused.spending.ask-admin': 'Die Serververwaltung kann das Limit erhöhen.',
  'refused.spending.ask-owner': 'Der Bot-Betreiber kann das Limit erhöhen.',
  'refused.lost-sounds':
    'Audio vom Modell dieser Stimme ließ sich zuletzt nicht abspielen; bis zum nächsten Test, {when}, fragt der Bot keines mehr an. Wähle bis dahin eine Stimme eines anderen Modells.',
  'refused.unknown-voice': 'Die Stimme „{voice}“ gibt es nicht. Die Namen stehen in /voices.',
  'refused.unknown-voice-did-you-mean':
    'Die Stimme „{voice}“ gibt es nicht; alle Namen stehen in /voices. Meintest du {suggestions}?',
  'refused.ambiguous-voice': 'Mehrere Stimmen heißen „{voice}“: {candidates}. Gib das Modell mit an, so wie hier.',
  'refused.ambiguous-beside-forced':
    'Dieser Server verwendet nur eine Stimme, {forced}; eine andere wählt nur die Option voice von /say. „{voice}“ heißen mehrere: {candidates}; gib dort das Modell mit an.',
  'refused.format':
    '{voice} unterstützt nur {formats}. Lass die Option format weg{models, select, none {: Keine Stimme hier unterstützt {format}} other {, oder wähle für {format} eine Stimme von {models}}}.',
  'refused.no-voices': 'Der Sprachdienst hat gerade keine Stimmen. Der Bot-Betreiber sollte den Dienst prüfen.',
  'refused.none-allowed':
    'Hier kann nichts gesprochen werden: Die auf diesem Server erlaubten Modelle lassen keine Stimme übrig. Wer den Server verwaltet, kann sie unter /settings panel auf der Seite „Stimmen“ ändern.',
  'refused.nobody-speaks': 'Keine Stimme, die hier verfügbar ist, kann {words} sprechen.',
  'refused.cannot-speak': '{voice} kann {words} nicht sprechen. Wähle eine andere Stimme, zum Beispiel {voices}.',
  'refused.server-not-allowed':
    'Der Bot-Betreiber erlaubt nur bestimmte Server, und dieser gehört nicht dazu. Bitte ihn, die ID {id} in ALLOWED_SERVERS einzutragen, und lade den Bot dann wieder ein.',
  'refused.unknown-command':
    'Dieser Befehl ist veraltet. Starte Discord neu, um die Liste zu aktualisieren, oder siehe /help.',
  'refused.option-too-long': 'Die Option {option} nimmt bis zu {limit, number} Zeichen; das sind {length, number}.',
  'refused.owner-only': 'Nur der Bot-Betreiber kann diesen Befehl verwenden.',
  'refused.stopping': 'Der Bot startet gerade neu. Versuche es in einer Minute noch einmal.',
  'refused.session-ended':
    'Discord hat die Verbindung des Bots beendet. Sag dem Bot-Betreiber Bescheid: Im Log steht, was zu tun ist.',

  'permission.ViewChannel': 'Kanal anzeigen',
  'permission.Connect': 'Verbinden',
  'permission.Speak': 'Sprechen',
  'permission.MuteMembers': 'Mitglieder stummschalten',

  'speech.invalid-request':
    'Der Sprachdienst hat diese Anfrage abgelehnt. Versuche es mit anderem Text oder anderer Stimme; wenn es weiter nicht klappt, sag dem Bot-Betreiber Bescheid.',
  'speech.input-too-long': 'Der Text ist für diese Stimme zu lang. Kürze ihn, oder teile ihn auf mehrere /say auf.',
  'speech.unsupported-format': 'Diese Stimme unterstützt dieses Audioformat nicht. Wähle eine andere Stimme.',
  'speech.unsupported-language': 'Diese Stimme kann diese Sprache nicht sprechen. Wähle eine andere Stimme.',
  'speech.voice-not-found':
    'Beim Sprachdienst gibt es diese Stimme gerade nicht. Wähle unter /voices eine andere, oder versuche es später noch einmal.',
  'speech.invalid-api-key':
    'Der Sprachdienst hat den Schlüssel des Bots abgelehnt. Der Bot-Betreiber muss einen gültigen VOICE_API_KEY eintragen.',
  'speech.invalid-api-key-local':
    'Der eigene Sprachdienst des Bots hat den Schlüssel des Bots abgelehnt. Der Bot-Betreiber muss den Bot neu starten.',
  'speech.insufficient-credits': 'Nicht genug Credits. Der Bot-Betreiber muss das Konto beim Sprachdienst aufladen.',
  'speech.insufficient-credits-url':
    'Nicht genug Credits. Der Bot-Betreiber kann das Konto beim Sprachdienst hier aufladen: {url}',
  'speech.insufficient-credits-local':
    'Der eigene Sprachdienst des Bots hat dafür nicht genug Credits. Versuche es mit einem kürzeren Text, oder bitte den Bot-Betreiber, Credits hinzuzufügen.',
  'speech.allowance':
    'Das Kontingent der eingebauten Stimme reicht für diesen Text nicht. Versuche es mit einem kürzeren, oder bitte den Bot-Betreiber, es zu erhöhen.',
  'speech.content-policy':
    'Der Sprachdienst hat diesen Text wegen seiner Inhaltsrichtlinien abgelehnt. Formuliere ihn anders.',
  'speech.rate-limited':
    'Zu viele Anfragen an den Sprachdienst. Versuche es {when, select, unknown {in einem Moment} other {{when}}} noch einmal.',
  'speech.quota-exceeded':
    'Das Kontingent für diese Art von Stimme ist beim Anbieter vorerst aufgebraucht. Nächster Versuch {when}; wähle bis dahin eine Stimme eines anderen Modells.',
  'speech.unavailable':
    'Der Sprachdienst ist gerade {when, select, unknown {ausgelastet oder nicht verfügbar. Versuche es in ein paar Minuten} other {ausgelastet. Versuche es {when}}} noch einmal.',
  'speech.server-error':
    'Beim Sprachdienst ist ein Fehler aufgetreten. Versuche es noch einmal; wenn es weiter nicht klappt, sag dem Bot-Betreiber Bescheid.',
  'speech.bad-response':
    'Der Sprachdienst hat eine ungültige Antwort gesendet. Sag dem Bot-Betreiber Bescheid: Vielleicht ist VOICE_API_URL falsch.',
  'speech.network':
    'Der Sprachdienst ist nicht erreichbar. Versuche es in einer Minute noch einmal; wenn das nicht hilft, sag dem Bot-Betreiber Bescheid.',
  'speech.timeout': 'Der Sprachdienst hat nicht rechtzeitig geantwortet. Versuche es in einer Minute noch einmal.',
  'speech.aborted': 'Gestoppt, bevor der Sprachdienst geantwortet hat. Versuche es in einer Minute noch einmal.',

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
  'readable.sounds': '{count, plural, one {eine Audiodatei} other {# Audiodateien}}',
  'readable.files': '{count, plural, one {eine Datei} other {# Dateien}}',
  'readable.hidden-files': '{count, plural, one {ein verdeckter Anhang} other {# verdeckte Anhänge}}',
  'reading.says': '{name} sagt: {words}',
  'reading.sent': '{name} schickt: {words}',
  'reading.more': '… und mehr',
  'reading.joined': 'Dazugekommen: {names}',
  'reading.left': 'Gegangen: {names}',
  'reading.many-joined': '{count, plural, one {eine Person ist} other {# Personen sind}} dazugekommen',
  'reading.many-left': '{count, plural, one {eine Person ist} other {# Personen sind}} gegangen',
  'reading.trouble': '-# Mindestens eine Nachricht von {member} wurde nicht vorgelesen. {why}',
  'reading.forced-cannot-speak':
    'Die Stimme, die auf diesem Server erzwungen ist, kann nicht alles davon sprechen. Wer den Server verwaltet, kann das unter /settings panel auf der Seite „Stimmen“ ändern.',
  'reading.nobody-speaks':
    'Keine Stimme, die auf diesem Server verwendet werden darf, kann alles davon sprechen. /voices zeigt sie mit ihren Sprachen.',
  'reading.usual-cannot-speak': 'Die Stimme dafür kann nicht alles davon sprechen. Wähle mit /voice set eine andere.',
  'reading.too-many':
    'Jedes Mitglied kann in 10 Sekunden {count, plural, one {# Text} other {# Texte}} vorlesen lassen.',
  'reading.too-soon':
    'Jedes Mitglied kann {seconds, plural, one {pro Sekunde} other {alle # Sekunden}} einen Text vorlesen lassen.',

  'opt-out.description': 'Meine Nachrichten nie vorlesen und mich nie ankündigen, auf keinem Server',
  'opt-out.back': 'Wieder erlauben',
  'opt-out.done':
    'Ab jetzt liest der Bot deine Nachrichten nie vor und kündigt dich nie an, auf keinem Server. Auch andere können sie nicht vorlesen lassen. Texte, die du mit /say sendest, werden weiter vorgelesen. Rückgängig machen: /opt-out back:True.',
  'opt-out.taken-back':
    'Der Bot darf deine Nachrichten vorlesen und dich ankündigen, auf Servern, die das eingeschaltet haben.',

  'blocked.bleep': 'piep',

  'dictionary.in-line': 'Zeile {number, number}: {problem}',
  'dictionary.in-entry': 'Eintrag {number, number}: {problem}',
  'dictionary.file-too-large': 'Diese Datei ist zu groß für ein Wörterbuch. Es wurde nichts geändert.',
  'dictionary.is-settings':
    'Diese Datei enthält Servereinstellungen, kein Wörterbuch; deshalb wurde nichts geändert. Importiere sie in /settings panel auf der Seite „{page}“.',
  'dictionary.no-entries':
    'Diese Datei enthält keine Einträge; deshalb wurde nichts geändert. Exportiere das Wörterbuch, um ein Beispiel zu sehen.',
  'dictionary.broken-json':
    'Das JSON in dieser Datei ist bei Zeile {line, number} ungültig; deshalb wurde nichts geändert. Korrigiere es und versuche es noch einmal.',
  'dictionary.no-tab':
    'Zwischen Schreibweise und Aussprache fehlt ein {separator, select, tab {Tabulator} other {Tabulator oder Komma}}. Füge das Zeichen ein, oder exportiere das Wörterbuch, um ein Beispiel zu sehen.',
  'dictionary.columns':
    'Nach der Aussprache kommt „whole“ oder „part“, dann „case“ oder nichts.{separator, select, tab {} other { Was selbst „{separator}“ enthält, gehört in Anführungszeichen: {example}}}',
  'dictionary.form-missing': '{form, select, from {Die Schreibweise} other {Die Aussprache}} fehlt.',
  'dictionary.from-mixed':
    'Die Schreibweise hat mehrere Emojis oder ein Emoji neben anderem; das wird nie gefunden, denn jedes Emoji wird für sich vorgelesen. Nimm ein einzelnes Emoji oder Wörter ohne Emojis.',
  'dictionary.from-changed':
    'Die Schreibweise wird nie gefunden: Ohne Formatierung, Links und Wiederholungen bleibt davon nur „{left}“.',
  'dictionary.same': '„{from}“ wird schon so gelesen, wie man es schreibt. Es wurde nichts geändert.',
  'dictionary.form-too-long':
    '{form, select, from {Die Schreibweise} other {Die Aussprache}} hat {length, number} Zeichen; das Maximum ist {limit, number}.',
  'dictionary.not-an-entry': 'Das ist kein Eintrag. So sieht einer aus: `{example}`.',
  'dictionary.twice': '„{from}“ kommt doppelt vor; zuerst als Nummer {first, number}.',
  'dictionary.too-many':
    'Zu viele Einträge ({count, number}): Ein Server kann {limit, number} haben. Es wurde nichts geändert.',

  'dictionary.description': 'Festlegen, wie Wörter auf diesem Server ausgesprochen werden',
  'dictionary.add.description': 'Ein Wort und seine Aussprache hinzufügen oder ändern',
  'dictionary.remove.description': 'Ein Wort aus dem Wörterbuch entfernen',
  'dictionary.remove.word': 'Wort in seiner Schreibweise eingeben und auswählen',
  'dictionary.list.description': 'Alle Wörter anzeigen, ändern oder entfernen',
  'dictionary.test.description': 'Einen Text mit dem Wörterbuch anhören; außerhalb von Sprachkanälen ansehen',
  'dictionary.test.text': 'Der Text zum Ausprobieren',
  'dictionary.import.description': 'Wörter aus einer Datei hinzufügen, etwa aus /dictionary export',
  'dictionary.import.file': 'JSON, CSV oder Zeilen mit: Schreibweise, Tabulator, Aussprache',
  'dictionary.import.how': 'Was mit vorhandenen Wörtern passiert; Standard: behalten',
  'dictionary.import.merge': 'behalten und die Wörter der Datei hinzufügen',
  'dictionary.import.replace': 'durch die Wörter der Datei ersetzen',
  'dictionary.export.description': 'Alle Wörter als Datei herunterladen',
  'dictionary.export.format': 'Dateiformat; Standard: JSON',
  'dictionary.export.tsv': 'Tabelle (mit Tabulatoren)',
  'dictionary.form-add': 'Wort hinzufügen',
  'dictionary.form-edit': 'Wort ändern',
  'dictionary.form-from': 'Schreibweise',
  'dictionary.form-to': 'Aussprache',
  'dictionary.form-to-hint': 'Leer lassen, um das Wort auszulassen',
  'dictionary.form-where': 'Gilt für',
  'dictionary.form-whole': 'Nur ganze Wörter',
  'dictionary.form-part': 'Auch innerhalb anderer Wörter',
  'dictionary.form-case': 'Groß- und Kleinschreibung',
  'dictionary.form-any-case': 'Ignorieren',
  'dictionary.form-exact-case': 'Beachten',
  'dictionary.entry':
    '„{from}“ wird {to}{part, select, yes {, auch innerhalb anderer Wörter} other {}}{exact, select, yes {, nur bei gleicher Groß- und Kleinschreibung} other {}}',
  'dictionary.as': 'als „{to}“ gesprochen',
  'dictionary.as-nothing': 'ausgelassen',
  'dictionary.added': '{after} (vorher wie geschrieben).',
  'dictionary.changed': '{after} (vorher {before}).',
  'dictionary.unchanged': 'Unverändert: {after}.',
  'dictionary.removed': 'Entfernt: {before}. Das Wort wird wieder so gelesen, wie man es schreibt.',
  'dictionary.no-such': '„{word}“ ist nicht im Wörterbuch. Siehe /dictionary list.',
  'dictionary.blocked':
    '„{from}“ kann nicht als „{to}“ ausgesprochen werden: Ein Wort darin ist auf diesem Server gesperrt. Wähle eine andere Aussprache.',
  'dictionary.gone':
    'Dieses Wort wurde inzwischen geändert oder entfernt, deshalb wurde jetzt nichts geändert. Siehe /dictionary list.',
  'dictionary.exists': 'Für „{from}“ gibt es schon einen Eintrag; es wurde nichts geändert. Ändere stattdessen diesen.',
  'dictionary.title': '## Aussprache auf diesem Server',
  'dictionary.empty': 'Es gibt noch keine Wörter. Füge mit /dictionary add das erste hinzu.',
  'dictionary.remove': 'Wörter entfernen',
  'dictionary.reads': 'So wird es gesprochen: „{text}“',
  'dictionary.reads-hint': '-# Tritt einem Sprachkanal bei und nutze /dictionary test, um es zu hören.',
  'dictionary.imported':
    'Importiert: {added, number} hinzugefügt, {changed, number} geändert, {removed, number} entfernt. Jetzt {after, plural, one {# Wort} other {# Wörter}}; vorher {before, plural, one {# Wort} other {# Wörter}}.',
  'dictionary.header': '-# Die erste Zeile wurde ausgelassen, da sie die Spalten benennt: {line}',
  'dictionary.imported-added': '-# Hinzugefügt: {words}. Zum Entfernen: /dictionary list.',
  'dictionary.imported-before': '-# Die angehängte Datei enthält das vorherige Wörterbuch.',
  'dictionary.import-wrong': 'Diese Datei enthält Fehler; es wurde nichts geändert:',
  'dictionary.exported':
    'Das Wörterbuch als Datei: {count, plural, one {# Wort} other {# Wörter}}. Mit /dictionary import stellst du es wieder her.',

  'moderation.kind.command': 'Befehl',
  'moderation.kind.message': 'Nachricht',
  'moderation.kind.auto-read': 'aus dem Chat vorgelesen',
  'moderation.kind.file': 'Datei',
  'moderation.kind.voice-message': 'Sprachnachricht',
  'moderation.kind.replay': 'noch einmal vorgelesen',
  'moderation.outcome.spoken': 'vorgelesen',
  'moderation.outcome.stopped': 'vorzeitig gestoppt',
  'moderation.outcome.removed': 'aus der Warteschlange entfernt',
  'moderation.outcome.saved': 'gespeichert',
  'moderation.outcome.blocked': 'wegen eines gesperrten Wortes abgelehnt',
  'moderation.outcome.failed': 'nicht vollständig vorgelesen',
  'moderation.outcome.unspoken': 'nicht vorgelesen',
  'moderation.outcome.unmade': 'nicht erstellt',
  'moderation.by': ' von {member}',
  'moderation.bleeped': ', gesperrtes Wort durch „piep“ ersetzt',
  'moderation.cause.muted': 'Mitglied wurde stummgeschaltet',
  'moderation.cause.opted-out': 'wer die Nachricht schrieb, will nicht vorgelesen werden',
  'moderation.cause.role': 'Rollen des Mitglieds erlauben es nicht',
  'moderation.cause.blocked': 'ein Wort darin wurde inzwischen gesperrt',
  'moderation.cause.limit': 'über einem Tageslimit',
  'moderation.cause.stopping': 'Bot wurde neu gestartet',
  'moderation.cause.kicked': 'Bot wurde vom Kanal getrennt',
  'moderation.cause.channel-gone': 'Sprachkanal wurde gelöscht',
  'moderation.cause.nobody-listening': 'niemand hat zugehört',
  'moderation.cause.paused-too-long': 'zu lange pausiert',
  'moderation.cause.audience': 'Bot wurde ins Publikum verschoben',
  'moderation.cause.connection': 'Problem mit der Sprachverbindung',
  'moderation.cause.content': 'Sprachdienst hat den Inhalt abgelehnt',
  'moderation.cause.speech': 'Problem mit dem Sprachdienst',
  'moderation.where': ', in {channel}',
  'moderation.credits': ', {credits, plural, =0 {keine Credits} one {# Credit} other {# Credits}}',
  'lines.more': '-# … und {count, plural, one {ein weiterer Punkt} other {# weitere Punkte}}.',
  'moderation.no-channel':
    'Den Kanal {channel} für das Moderationsprotokoll gibt es nicht mehr, oder der Bot sieht ihn nicht. Wähle mit /settings panel einen anderen.',
  'moderation.seen-by-all':
    '⚠️ Alle auf diesem Server sehen {channel} und können dort das Moderationsprotokoll lesen. Soll es unter Moderatoren bleiben, wähle einen Kanal, den nur sie sehen.',
  'moderation.not-allowed':
    'Der Bot kann das Moderationsprotokoll nicht schreiben: Ihm fehlt in {channel} „Kanal anzeigen“ oder „Nachrichten senden“. Erlaube das, oder wähle mit /settings panel einen anderen Kanal.',

  'blocked.refused':
    'Dieser Text wurde nicht vorgelesen: „{rule}“ ist auf diesem Server gesperrt. Verwende andere Wörter.',
  'blocked.style': 'Dieser Stil enthält ein Wort, das dieser Server sperrt. Wähle einen anderen.',
  'blocked.emoji':
    'Emojis werden mit den Wörtern gesperrt, mit denen sie vorgelesen werden; diese sind je nach Sprache andere. Gib diese Wörter ein; außerhalb von Sprachkanälen zeigt /dictionary test sie.',
  'blocked.star-inside':
    'Ein * wirkt nur am Anfang oder Ende eines Worts. Schreib das Wort aus; mehrere Wörter gehören in eigene Zeilen oder werden mit Kommas getrennt.',
  'blocked.empty': 'Ein Wort braucht außer * am Anfang oder Ende mindestens einen Buchstaben oder ein Zeichen.',
  'blocked.too-long': 'Ein Wort darf höchstens {limit, number} Zeichen haben; dieses hat {length, number}. Kürze es.',
  'blocked.too-short':
    'Mit * braucht ein Wort mindestens {least, number} Buchstaben, sonst passt es auf fast jeden Text. Entferne das *, oder füge Buchstaben hinzu.',

  'join.failed':
    'Der Bot konnte {channel} nicht beitreten: Discord hat ihn nicht hineingelassen. Versuche es noch einmal; wenn es weiter nicht klappt, prüfe dort seine Berechtigungen.',
  'join.busy':
    'Der Bot konnte {channel} nicht beitreten: Crier tritt gerade vielen Kanälen bei. Versuche es in einer Minute noch einmal.',
  'join.no-answer':
    'Der Bot konnte {channel} nicht beitreten: Der Sprachserver von Discord hat nicht rechtzeitig geantwortet. Versuche es in einer Minute noch einmal.',
  'join.no-udp':
    'Der Bot konnte {channel} nicht beitreten: keine Antwort über UDP. Eine Firewall oder das Netzwerk des Bots blockiert UDP; sag dem Bot-Betreiber Bescheid.',
  'join.no-ipv4':
    'Der Bot konnte {channel} nicht beitreten: Der Rechner, auf dem er läuft, hat kein IPv4, und das braucht Discord für die Sprache. Sag dem Bot-Betreiber Bescheid.',
  'join.given-up':
    'Der Bot hat den Beitritt zu {channel} abgebrochen: Er sollte gehen oder einem anderen Kanal beitreten. Mit /join versucht er es noch einmal.',
  'join.encryption':
    'Der Bot konnte mit Discord keine Verschlüsselung für den Anruf in {channel} aufbauen. Sag dem Bot-Betreiber Bescheid: Das Programm doctor zeigt, warum.',
  'audio.refused':
    'Das Audio liegt an einer Adresse, von der der Bot nicht herunterladen darf. Der Bot-Betreiber sollte das Log und AUDIO_HOSTS prüfen.',
  'audio.unreachable':
    'Das Audio wurde erzeugt, konnte aber nicht heruntergeladen werden. Versuche es in einer Minute noch einmal.',
  'audio.cut-off':
    'Das Audio ist abgebrochen; deshalb wurde das nicht vollständig vorgelesen. Versuche es in einer Minute noch einmal.',
  'audio.unplayable':
    'Das Audio wurde erzeugt, lässt sich aber nicht abspielen. Wähle eine andere Stimme, und sag dem Bot-Betreiber Bescheid.',
  'audio.too-large': 'Das Audio ist länger, als der Bot am Stück abspielen kann. Verwende einen kürzeren Text.',
  'audio.too-short':
    'Die Stimme hat nichts oder nur wenig von diesem Text gesprochen. Versuche es noch einmal, mit einer anderen Stimme oder mit anderen Wörtern.',
  'audio.endless':
    'Die Stimme hat nicht aufgehört: Das Audio war viel länger als der Text und wurde abgebrochen. Versuche eine andere Stimme oder andere Wörter.',
  'play.kicked':
    'Der Bot wurde aus {channel} entfernt; deshalb wurde das nicht {heard, select, part {vollständig } other {}}vorgelesen.',
  'play.channel-gone':
    'Der Sprachkanal wurde gelöscht; deshalb wurde das nicht {heard, select, part {vollständig } other {}}vorgelesen.',
  'play.connection-lost':
    'Die Verbindung zum Sprachkanal ist abgebrochen; deshalb wurde das nicht {heard, select, part {vollständig } other {}}vorgelesen. Versuche es noch einmal.',
  'play.unheard':
    'Discord hat den Bot auch nach erneutem Beitritt nicht in die Ende-zu-Ende-Verschlüsselung des Anrufs in {channel} aufgenommen; deshalb war nichts zu hören. Versuche es in einer Minute noch einmal.',
  'play.encryption-lost':
    'Der Bot hat die Ende-zu-Ende-Verschlüsselung des Anrufs in {channel} verloren; deshalb war nicht alles zu hören. Versuche es in einer Minute noch einmal.',
  'play.unanswered':
    'Discord hat die Antwort des Bots nicht rechtzeitig angenommen; deshalb wurde das nicht vorgelesen. Versuche es noch einmal.',
  'play.nobody-listening':
    'In {channel} hört niemand zu; deshalb wurde das nicht {heard, select, part {vollständig } other {}}vorgelesen.',
  'play.stopped': 'Aus der Warteschlange entfernt.',
  'play.skipped': '{by, select, requester {Übersprungen} other {Von <@{by}> übersprungen}}: „{text}“',
  'play.stopped-current': '{by, select, requester {Gestoppt} other {Von <@{by}> gestoppt}}: „{text}“',
  'play.removed': '{by, select, requester {Aus} other {Von <@{by}> aus}} der Warteschlange entfernt: „{text}“',
  'play.paused-too-long':
    'Der Bot ist nach langer Pause gegangen; deshalb wurde das nicht {heard, select, part {vollständig } other {}}vorgelesen.',
  'play.held-back':
    'Der Bot war in {channel} nicht zu hören: Er ist ohne die Berechtigung „Sprechen“ beigetreten und hat den Kanal deshalb verlassen. Hat er sie jetzt, nutze /say noch einmal.',
  'play.put-into-audience':
    'Die Moderation hat den Bot in {channel} ins Publikum verschoben; deshalb wurde das nicht {heard, select, part {vollständig } other {}}vorgelesen. Nutze /say noch einmal, dann stellt er eine Redeanfrage.',
  'play.server-left': 'Der Bot wurde vom Server entfernt.',

  'resumed.later':
    '{isOver, select, yes {Discord hat die Verbindung des Bots beendet: Sag dem Bot-Betreiber Bescheid, im Log steht, was zu tun ist.} other {Der Bot startet gerade neu.}} {billed, select, begun {Das hat er mittendrin abgebrochen; danach kannst du es noch einmal vorlesen lassen.} maybe {Das war noch in Arbeit und wird nur auf deinen Wunsch noch einmal erzeugt.} other {Das wird vorgelesen, wenn der Bot innerhalb von zehn Minuten zurück ist und noch jemand zuhört.}}',
  'resumed.spoken': 'In {channel} vorgelesen. Gleich danach wurde der Bot neu gestartet.',
  'resumed.failed':
    'Das wurde nicht {heard, select, nothing {} other {vollständig }}vorgelesen, und gleich danach wurde der Bot neu gestartet.',
  'resumed.not-spoken':
    'Der Bot wurde neu gestartet; deshalb wurde das nicht {heard, select, nothing {} other {vollständig }}vorgelesen.',
  'resumed.too-late':
    'Der Bot war zu lange weg; deshalb wurde das nicht {heard, select, nothing {} other {vollständig }}vorgelesen.',
  'resumed.nobody':
    'Der Bot wurde neu gestartet. In {channel} hört niemand mehr zu; deshalb wurde das nicht {heard, select, nothing {} other {vollständig }}vorgelesen.',
  'resumed.maybe-billed':
    'Der Bot wurde neu gestartet, während das erzeugt wurde; deshalb wird es nur auf deinen Wunsch noch einmal erzeugt.',
  'resumed.file': 'Der Bot wurde neu gestartet, während das erstellt wurde. Nutze den Befehl noch einmal.',
  'resumed.messages':
    '-# Der Bot wurde neu gestartet: {count, plural, one {# Nachricht wurde} other {# Nachrichten wurden}} nicht vorgelesen.',

  'left.idle': '{channel} verlassen: Eine Weile wurde nichts vorgelesen. Mit /say oder /join kommt der Bot zurück.',
  'left.paused-too-long': '{channel} verlassen: Die Pause hat zu lange gedauert. Mit /say geht es weiter.',
  'left.kicked': '{channel} verlassen: Jemand hat den Bot entfernt. Mit /say oder /join kommt er zurück.',
  'left.channel-gone': 'Sprachkanal verlassen: Er wurde gelöscht. Tritt einem anderen bei und nutze dort /say.',
  'left.connection-lost':
    '{channel} verlassen: Die Verbindung ist abgebrochen. Mit /say oder /join kommt der Bot zurück.',
  'left.not-allowed': '{channel} verlassen. {why}',

  'kept.own-settings':
    '**Deine Stimme**: Stimmen, Sprachen, Stil, Tempo, Temperatur und gesprochener Name, wie du sie mit /voice eingestellt hast, unter deiner Benutzer-ID, in der Datenbank des Bots, bis du sie zurücksetzt.',
  'kept.own-settings.now': 'Einstellungen mit /voice, an {places, plural, one {# Ort} other {# Orten}}',
  'kept.use':
    '**Dein Verbrauch**: {free, select, yes {wie viel für dich vorgelesen wurde} other {wie viele Credits du verbraucht hast}} und wie viele Texte {free, select, yes {aus dem Cache kamen} other {kostenlos waren}}, nach Tag, Server und Benutzer-ID, in der Datenbank des Bots bis zum Ende des nächsten Monats.{free, select, yes {} other { Darauf beruhen die Limits.}}',
  'kept.use.credits': '{credits, plural, one {# Credit} other {# Credits}}',
  'kept.use.counted': 'die Zählung',
  'kept.use.now': '{what} aus diesem und dem letzten Monat',
  'kept.use.today': '{what} von heute{ends, select, yes {, bis 00:00 UTC} other {}}',
  'kept.use.before': '{what} aus der Zeit vor heute',
  'kept.queue':
    '**Was du sagst**: der Text und sein Audio, im Arbeitsspeicher, solange er wartet und bis zu 15 Minuten danach, damit er noch einmal vorgelesen werden kann und Buttons funktionieren. Bis er vorgelesen ist, höchstens zehn Minuten, liegt der Text auch verschlüsselt auf der Festplatte: So übersteht er einen Neustart. Dazu, wo du gefragt hast, bis die Antwort feststeht, höchstens einen Tag.',
  'kept.queue.waiting': '{count, plural, one {# Text} other {# Texte}} in der Warteschlange',
  'kept.queue.spoken': '{count, plural, one {# kürzlich vorgelesener Text} other {# kürzlich vorgelesene Texte}}',
  'kept.queue.offered':
    '{count, plural, one {# Text} other {# Texte}} aufgehoben, damit ein Button wie „Erneut versuchen“ noch funktioniert',
  'kept.queue.elsewhere': 'was andere Prozesse des Bots noch in ihren Warteschlangen haben können',
  'kept.opt-out':
    '**Dein Widerspruch**: dass und wann du /opt-out genutzt hast, unter deiner Benutzer-ID, in der Datenbank des Bots, bis du es rückgängig machst.',
  'kept.opt-out.now': 'der Widerspruch gegen Vorlesen und Ansagen',
  'kept.sound':
    '**Audio**: was vorgelesen wurde, ohne den Text und ohne Angabe, von wem er war, unter einem Code, der nicht zurückverfolgt werden kann: im Arbeitsspeicher und auf der Festplatte, für {days, number} Tage. So wird derselbe Text nur einmal {free, select, yes {erzeugt.} other {bezahlt. Die verschlüsselte Adresse von bezahltem Audio wird 15 Minuten lang gespeichert.}}',
  'kept.moderation-log':
    '**Moderationsprotokoll**: nur, wenn Admins einen Kanal dafür ausgewählt haben. Dort steht, wer wann einen Text vorlesen ließ, mit Art, Länge, Stimme, Kanal{free, select, yes { und Ergebnis} other {, Ergebnis und Credits}}, bis jemand es dort löscht. Nie der Text.',
  'kept.server-settings':
    '**Servereinstellungen**: was Admins mit /settings eingestellt haben, mit den IDs von Rollen und Kanälen und von stummgeschalteten Mitgliedern, bis sie es zurücksetzen.',
  'kept.server-settings.now': 'Einstellungen dieses Servers: {count, number}',
  'kept.dictionary':
    '**Wörterbuch**: wie Wörter auf einem Server ausgesprochen werden, so wie die Admins es eingegeben haben, bis sie es löschen.',
  'kept.dictionary.now': 'Wörterbuch dieses Servers: {entries, plural, one {# Eintrag} other {# Einträge}}',
  'kept.notices':
    '**Hinweise**: dass der Bot sich vorgestellt hat und wann er den Server verlassen hat, unter der Server-ID. 30 Tage danach werden alle Daten des Servers gelöscht.',
  'kept.bot':
    '**Über den Bot**: wo seine Befehle registriert sind{free, select, yes {} other {, wie viele Credits übrig sind und was ein Modell kostet}}. Über Personen nur die Sprache seiner Betreiber, im Arbeitsspeicher.',

  'privacy.description': 'Welche Daten der Bot über dich speichert, wo und wie lange',
  'privacy.title':
    '**Was dieser Bot speichert.** Seine Datenbank liegt auf der Festplatte des Rechners, auf dem er läuft. Was jemand sagt, wird nicht gespeichert, außer wie hier aufgeführt.',
  'privacy.yours':
    '  - Jetzt: {what, select, nothing {nichts.} unknown {unbekannt, weil die Datenbank nicht erreichbar ist.} other {{what}.}}',
  'privacy.log':
    'Der Bot-Betreiber hat ein Log: Befehle, Zeiten, Stimmen, Kosten, Fehler und die IDs von Mitgliedern, Servern und Kanälen, aber nie, was gesagt wurde.',
  'privacy.sent': 'Texte werden an den Sprachdienst gesendet, der sie in Sprache umwandelt.',
  'privacy.made-here':
    'Der Sprachdienst läuft neben dem Bot und wandelt Texte selbst in Sprache um: Sie werden an keinen anderen Dienst gesendet.',
  'privacy.replies':
    'Antworten des Bots bleiben mit den Texten, die sie zitieren, in Discord stehen, bis jemand sie dort löscht.',
  'privacy.forget': '/forget löscht deine Daten.',
  'privacy.forget-server': 'Du verwaltest diesen Server: /forget server:True löscht seine Daten.',

  'forget.description': 'Die Daten löschen, die der Bot über dich speichert',
  'forget.server': 'Stattdessen die Daten dieses Servers löschen; für die Serververwaltung',
  'forget.ask':
    'Das wird {whose, select, server {für alle auf diesem Server} other {für alle Server}} gelöscht und kann nicht rückgängig gemacht werden:',
  'forget.wish': '- nur, wenn du es auswählst: {what}',
  'forget.yes': 'Löschen',
  'forget.yes-opt-out': '{also, select, yes {Auch den} other {Den}} Widerspruch löschen',
  'forget.nothing':
    'Von dir gibt es nichts zu löschen. In den Einstellungen eines Servers kannst du noch vorkommen, zum Beispiel als stummgeschaltet: siehe /privacy.',
  'forget.nothing-left': 'Das ist schon erledigt: Hier gibt es nichts mehr zu löschen.',
  'forget.nothing-here': 'Von diesem Server gibt es nichts zu löschen.',
  'forget.nothing-at-once': 'Sofort lässt sich nichts löschen.',
  'forget.deleted': 'Gelöscht:',
  'forget.today':
    '{asked, select, yes {Wenn du auf „Löschen“ drückst, bleibt nur bis zum Ende des Tages, 00:00 UTC, gespeichert} other {Gelöscht wird am Ende des Tages, um 00:00 UTC}}{free, select, yes {} other {, weil die heutigen Limits darauf beruhen}}: {what} von heute{whose, select, server { auf diesem Server} other {}}.',
  'forget.left':
    'Das konnte nicht gelöscht werden, weil die Datenbank nicht erreichbar ist. Versuche es in einer Minute noch einmal:',

  'welcome.hello': '**Hi! Ich lese deine Nachrichten in Sprachkanälen vor.**',
  'welcome.members':
    'Tritt einem Sprachkanal bei und probiere /say aus. /help zeigt alles andere, /privacy die gespeicherten Daten.',
  'welcome.admins': 'Für die Serververwaltung: vier kurze Schritte, alle optional.',
  'welcome.begin': 'Einrichten',
  'setup.description': 'Den Bot in vier Schritten einrichten: Stimme, Vorlesen, wer und wo, Limits',
  'setup.voice': '**Schritt 1 von 4: die Stimme.** Welche Stimme liest vor, wenn ein Mitglied keine andere auswählt?',
  'setup.voice.more':
    '-# Insgesamt gibt es {count, number} Stimmen: /voices zeigt sie an, spielt sie vor und macht jede zur Standardstimme.',
  'setup.language': '-# In dieser Sprache nennt der Bot Emojis, Links und wer etwas sagt.',
  'setup.reading':
    '**Schritt 2 von 4: Vorlesen.** Aus welchen Kanälen werden Nachrichten im Sprachkanal vorgelesen? /say geht in jedem Fall.',
  'setup.people':
    '**Schritt 3 von 4: wer und wo.** Wähle die Rollen, die den Bot nutzen dürfen, und die Kanäle dafür. Ohne Auswahl: alle, überall.',
  'setup.limits':
    '**Schritt 4 von 4: Limits.** {counted, select, nothing {Die Stimme ist kostenlos: Hier geht es um Texte und die Warteschlange.} other {{counted, select, characters {Zeichen} other {Credits}} werden pro Tag gezählt; auch der Bot-Betreiber hat Limits festgelegt.}}',
  'setup.summary': '**Fertig.** Deine Einstellungen für diesen Server:',
  'setup.summary.nothing': '- Nichts geändert: Alles steht auf Standard.',
  'setup.summary.more':
    'Alles andere: /settings panel. Was Mitglieder tun können: /help. Noch einmal von vorn: /setup.',
  'setup.next': 'Behalten und weiter',
  'setup.finish': 'Behalten und abschließen',
  'setup.back': 'Zurück',

  'owner.description': 'Für den Bot-Betreiber',
  'owner.no-server': 'Kein Server „{server}“ gefunden. Wähle einen aus der Liste.',
  'owner.status.description': 'Status des Bots anzeigen',
  'owner.status.title': '**Crier {version}**, gestartet {since}.',
  'owner.status.draining': 'Er wird gerade beendet: Neue Texte werden nicht angenommen.',
  'owner.status.lost-audio':
    '- **Bezahltes Audio kommt nicht an** von {models}: Der Bot bezahlt dafür nichts mehr, außer ab und zu einen Test. Siehe Log.',
  'owner.status.check.discord': 'Verbindung zu Discord',
  'owner.status.check.commands': 'Befehle',
  'owner.status.check.store': 'Datenbank',
  'owner.status.check.speech': 'Sprachdienst',
  'owner.status.check.joining': 'Beitritt zu Sprachkanälen',
  'owner.status.trouble': '- **{name}: Problem** (`{state}`). Siehe Log.',
  'owner.spending.description': 'Verbrauch heute und in diesem Monat, insgesamt und nach Server und Mitglied',
  'owner.spending.total':
    'Alle Server: heute {today} von {limit, number} verbraucht, in diesem Monat {month, number}. Die Tageslimits werden {when} zurückgesetzt.',
  'owner.spending.total-unlimited': 'Alle Server: heute {today} verbraucht, in diesem Monat {month, number}.',
  'owner.spending.unknown':
    'Von den heutigen Credits {credits, plural, one {ist etwa #} other {sind etwa #}} für {requests, plural, one {# Anfrage} other {# Anfragen}} ohne Antwort. Der Dienst hat das vielleicht trotzdem berechnet.',
  'owner.spending.free': 'Die Stimme ist kostenlos: Ihre Zeichen werden nur gezählt.',
  'owner.spending.none': 'In diesem Monat wurde nichts verbraucht.',
  'owner.spending.servers': 'Nach Server:',
  'owner.spending.members': 'Nach Mitglied:',
  'owner.spending.line': '{rank, number}. {name}: heute {today, number}, in diesem Monat {month, number}',
  'owner.spending.left': 'ein Server, den der Bot verlassen hat, oder eines anderen Prozesses',
  'owner.spending.outside':
    'Direktnachrichten und Server mit gelöschten Daten: heute {today, number}, in diesem Monat {month, number}',
  'owner.forget.description': 'Die Daten eines Mitglieds löschen, das darum gebeten hat',
  'owner.forget.user': 'Das Mitglied, oder seine ID, wenn es nicht mehr da ist',
  'owner.forget.about': 'Daten über {user} (`{id}`):',
  'owner.forget.nothing':
    'Es gibt nichts zu löschen. In den Einstellungen eines Servers kann das Mitglied noch vorkommen, zum Beispiel als stummgeschaltet: Ändern kann das, wer ihn verwaltet.',
  'owner.leave.description': 'Den Bot einen Server verlassen lassen',
  'owner.leave.server': 'Name oder ID eingeben und auswählen',
  'owner.leave.ask':
    '{server} mit {members, plural, one {# Mitglied} other {# Mitgliedern}} verlassen? Die Daten des Servers werden nach 30 Tagen gelöscht, wenn der Bot nicht wieder eingeladen wird.',
  'owner.leave.yes': 'Server verlassen',
  'owner.leave.done': '{server} verlassen.',

  'store.failed':
    'Die Datenbank ist nicht erreichbar; deshalb wurde nichts geändert, und es kann nichts angezeigt oder vorgelesen werden. Versuche es in einer Minute noch einmal; wenn es weiter nicht klappt, sag dem Bot-Betreiber Bescheid.',
  'store.unread':
    'Die Datenbank ist nicht erreichbar; deshalb ist der Verbrauch unbekannt. So lange werden neue Texte abgelehnt.',
  'failed.unexpected':
    'Im Bot ist ein Fehler aufgetreten. Versuche es noch einmal; wenn es weiter nicht klappt, gib dem Bot-Betreiber diesen Code:',
  'failed.answer-refused':
    'Discord hat die Antwort des Bots abgelehnt, deshalb kann sie nicht angezeigt werden. Versuche es noch einmal; wenn es weiter nicht klappt, sag dem Bot-Betreiber Bescheid.',

  'failed.part': 'Bei Teil {part, number} von {parts, number} abgebrochen: Er konnte nicht erzeugt werden.',
  'failed.credits-used': '{used, plural, one {# Credit wurde} other {# Credits wurden}} verbraucht.',
  'failed.credits-unknown': 'Vielleicht wurden Credits verbraucht.',
  'failed.credits-maybe-more': 'Der Teil, der gerade noch erzeugt wurde, kostet vielleicht noch etwas.',
  'failed.credits-none': 'Es wurden keine Credits verbraucht.',
};
