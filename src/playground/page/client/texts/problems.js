/*
 * What the loopback Discord, and its switches, answer to an act that is refused. They answer in English, as at the
 * playground's prompt; `{0}` stands for a value, which may be such an answer itself.
 */

const PROBLEMS = {
  // Channels, members, messages
  '{0} cannot join {1}: {2}': ['{0} kann {1} nicht beitreten: {2}', '{0} no puede entrar en {1}: {2}'],
  'the channel is full': ['Der Kanal ist voll.', 'el canal está lleno.'],
  'no permission to connect': ['Die Berechtigung zum Verbinden fehlt.', 'falta el permiso para conectar.'],
  'not a voice channel': ['Das ist kein Sprachkanal.', 'no es un canal de voz.'],
  'not a member of this server': ['Kein Mitglied dieses Servers.', 'no es miembro de este servidor.'],
  '{0} is in no voice channel': ['{0} ist in keinem Sprachkanal.', '{0} no está en ningún canal de voz.'],
  '{0} may not request to speak here': ['{0} darf hier nicht ums Wort bitten.', '{0} no puede pedir la palabra aquí.'],
  'Hands are raised on stages only': [
    'Die Hand hebt man nur in Stage-Kanälen.',
    'Solo se levanta la mano en los escenarios.',
  ],
  'There is no channel {0}': ['Es gibt keinen Kanal {0}.', 'No existe el canal {0}.'],
  'There is no member {0}': ['Es gibt kein Mitglied {0}.', 'No existe el miembro {0}.'],
  'There is nobody called {0}': ['Niemand heißt {0}.', 'Nadie se llama {0}.'],
  'There is no user {0}': ['Es gibt keinen Benutzer {0}.', 'No existe el usuario {0}.'],
  '{0} has not been in a voice channel yet': [
    '{0} war noch in keinem Sprachkanal.',
    '{0} aún no ha estado en un canal de voz.',
  ],
  '{0} cannot see this message': ['{0} kann diese Nachricht nicht sehen.', '{0} no puede ver este mensaje.'],
  '{0} cannot see {1}': ['{0} kann {1} nicht sehen.', '{0} no puede ver {1}.'],
  '{0} has no direct messages with {1}': [
    '{0} hat keine Direktnachrichten mit {1}.',
    '{0} no tiene mensajes directos con {1}.',
  ],
  '{0} may not do that': ['{0} darf das nicht.', '{0} no tiene permiso para eso.'],
  '{0} may not write in {1}': ['{0} darf in {1} nicht schreiben.', '{0} no puede escribir en {1}.'],
  '{0} may not attach files in {1}': [
    '{0} darf in {1} keine Dateien anhängen.',
    '{0} no puede adjuntar archivos en {1}.',
  ],
  '{0} may not send voice messages in {1}': [
    '{0} darf in {1} keine Sprachnachrichten senden.',
    '{0} no puede enviar mensajes de voz en {1}.',
  ],
  '{0} may not {1} in {2}': ['{0} darf das in {2} nicht.', '{0} no tiene permiso para eso en {2}.'],
  'The channel no longer exists': ['Diesen Kanal gibt es nicht mehr.', 'Este canal ya no existe.'],
  'This message no longer exists': ['Diese Nachricht gibt es nicht mehr.', 'Este mensaje ya no existe.'],
  'This file no longer exists': ['Diese Datei gibt es nicht mehr.', 'Este archivo ya no existe.'],
  'This window is no longer open': ['Dieses Fenster ist nicht mehr offen.', 'Esta ventana ya no está abierta.'],
  'Your message is too long': ['Deine Nachricht ist zu lang.', 'Tu mensaje es demasiado largo.'],
  '{0} holds posts, not messages': [
    '{0} enthält Beiträge, keine Nachrichten.',
    '{0} contiene publicaciones, no mensajes.',
  ],
  '{0} did not write this': ['{0} hat das nicht geschrieben.', '{0} no ha escrito esto.'],

  '{0} is larger than 10 MB.': ['{0} ist größer als 10 MB.', '{0} supera los 10 MB.'],

  // Commands, their options, and controls
  '{0} may not use commands in {1}': ['{0} darf in {1} keine Befehle verwenden.', '{0} no puede usar comandos en {1}.'],
  'There is no command /{0} here: did you mean /{1}?': [
    'Den Befehl /{0} gibt es hier nicht: Meintest du /{1}?',
    'Aquí no existe el comando /{0}: ¿querías decir /{1}?',
  ],
  'There is no command /{0} here': ['Den Befehl /{0} gibt es hier nicht.', 'Aquí no existe el comando /{0}.'],
  'Apps offers no command {0} here': [
    'Unter Apps gibt es hier keinen Befehl {0}.',
    'En Aplicaciones no existe aquí el comando {0}.',
  ],
  '/{0} needs one of: {1}': ['/{0} braucht eines von: {1}', '/{0} necesita uno de: {1}'],
  '/{0} takes no options': ['/{0} hat keine Optionen.', '/{0} no tiene opciones.'],
  'A command starts with /': ['Ein Befehl beginnt mit /.', 'Un comando empieza por /.'],
  '"{0}" belongs to no option: {1}': ['„{0}“ gehört zu keiner Option: {1}', '“{0}” no pertenece a ninguna opción: {1}'],
  'Loading options failed': ['Die Optionen konnten nicht geladen werden.', 'No se han podido cargar las opciones.'],
  'Waited {0} ms in vain for {1}': ['{0} ms vergeblich gewartet.', 'Se ha esperado {0} ms en vano.'],
  'There is no option {0}': ['Es gibt keine Option {0}.', 'No existe la opción {0}.'],
  'This option is required: {0}': ['Diese Option ist erforderlich: {0}', 'Esta opción es obligatoria: {0}'],
  'This field is required: {0}': ['Dieses Feld ist erforderlich: {0}', 'Este campo es obligatorio: {0}'],
  'The option {0} is given twice: as a word of a text, write {1}': [
    'Die Option {0} steht zweimal da: Als Wort eines Textes schreibe {1}',
    'La opción {0} aparece dos veces: como palabra de un texto, escribe {1}',
  ],
  'The option {0} offers nothing while typing': [
    'Die Option {0} macht keine Vorschläge.',
    'La opción {0} no ofrece sugerencias.',
  ],
  'The option {0} must be one of: {1}': [
    'Die Option {0} muss eines davon sein: {1}',
    'La opción {0} debe ser una de estas: {1}',
  ],
  'The option {0} must be True or False': [
    'Die Option {0} muss Wahr oder Falsch sein.',
    'La opción {0} debe ser Verdadero o Falso.',
  ],
  'The option {0} must be at least {1}': [
    'Die Option {0} muss mindestens {1} sein.',
    'La opción {0} debe ser al menos {1}.',
  ],
  'The option {0} must be at most {1}': [
    'Die Option {0} darf höchstens {1} sein.',
    'La opción {0} debe ser como máximo {1}.',
  ],
  'The option {0} needs at least {1} characters': [
    'Die Option {0} braucht mindestens {1} Zeichen.',
    'La opción {0} necesita al menos {1} caracteres.',
  ],
  'The option {0} takes at most {1} characters': [
    'Die Option {0} fasst höchstens {1} Zeichen.',
    'La opción {0} admite como máximo {1} caracteres.',
  ],
  'The option {0} takes text': ['Die Option {0} erwartet einen Text.', 'La opción {0} espera un texto.'],
  'The option {0} takes a file': ['Die Option {0} erwartet eine Datei.', 'La opción {0} espera un archivo.'],
  'The option {0} takes a whole number': [
    'Die Option {0} erwartet eine ganze Zahl.',
    'La opción {0} espera un número entero.',
  ],
  'The option {0} takes a {1}number': ['Die Option {0} erwartet eine Zahl.', 'La opción {0} espera un número.'],
  'The option {0} does not know {1}': ['Die Option {0} kennt {1} nicht.', 'La opción {0} no conoce {1}.'],
  'The menu {0} does not know {1}': ['Das Menü {0} kennt {1} nicht.', 'El menú {0} no conoce {1}.'],
  'The field {0} does not know {1}': ['Das Feld {0} kennt {1} nicht.', 'El campo {0} no conoce {1}.'],
  '{0} does not know {1}': ['{0} kennt {1} nicht.', '{0} no conoce {1}.'],
  'The option {0} does not take this kind of channel': [
    'Die Option {0} nimmt keinen Kanal dieser Art.',
    'La opción {0} no admite este tipo de canal.',
  ],
  '{0} does not take this kind of channel': ['{0} nimmt keinen Kanal dieser Art.', '{0} no admite este tipo de canal.'],
  'There is no button {0}; there are: {1}': [
    'Es gibt keinen Knopf {0}; es gibt: {1}',
    'No existe el botón {0}; hay: {1}',
  ],
  'The button {0} is disabled': ['Der Knopf {0} ist deaktiviert.', 'El botón {0} está desactivado.'],
  'The button {0} is a link': ['Der Knopf {0} ist ein Link.', 'El botón {0} es un enlace.'],
  'There is no menu {0}': ['Es gibt kein Menü {0}.', 'No existe el menú {0}.'],
  'The menu {0} is disabled': ['Das Menü {0} ist deaktiviert.', 'El menú {0} está desactivado.'],
  'Choose between {0} and {1}': ['Wähle zwischen {0} und {1}.', 'Elige entre {0} y {1}.'],
  'Choose {0}': ['Wähle {0}.', 'Elige {0}.'],
  '{0} is not offered; there are: {1}': [
    '{0} steht nicht zur Auswahl; es gibt: {1}',
    '{0} no está disponible; hay: {1}',
  ],
  '{0} did not open this modal': ['{0} hat dieses Formular nicht geöffnet.', '{0} no ha abierto este formulario.'],
  'The modal has no field {0}': ['Das Formular hat kein Feld {0}.', 'El formulario no tiene el campo {0}.'],
  '{0} needs at least {1} characters': ['{0} braucht mindestens {1} Zeichen.', '{0} necesita al menos {1} caracteres.'],
  '{0} takes at most {1} characters': ['{0} fasst höchstens {1} Zeichen.', '{0} admite como máximo {1} caracteres.'],

  // Faults
  '{0} is not a whole number.': ['{0} ist keine ganze Zahl.', '{0} no es un número entero.'],
  '{0} are too many: at most {1}.': ['{0} sind zu viele: höchstens {1}.', '{0} son demasiados: como máximo {1}.'],
  'There is no fault {0}; faults lists them.': ['Es gibt keine Störung {0}.', 'No existe el fallo {0}.'],
  'Type fault {0}.': ['So wird die Störung geschrieben: {0}.', 'Así se escribe el fallo: {0}.'],
  'The speech service is not one of the playground: it has no such switch.': [
    'Der Sprachdienst gehört nicht zur Spielwiese: Er hat diesen Schalter nicht.',
    'El servicio de voz no es el del entorno de pruebas: no tiene este interruptor.',
  ],
  'The speech service answered {0} to its switches.': [
    'Der Sprachdienst hat auf seine Schalter mit {0} geantwortet.',
    'El servicio de voz ha respondido {0} a sus interruptores.',
  ],
  'There is no bot on this machine.': ['Auf diesem Rechner läuft kein Bot.', 'En esta máquina no hay ningún bot.'],
  'The playground has no network of its own: docs/first-contact.md says how to start it in one.': [
    'Die Spielwiese hat kein eigenes Netz: docs/first-contact.md sagt, wie man sie in einem startet.',
    'El entorno de pruebas no tiene red propia: docs/first-contact.md dice cómo iniciarlo en una.',
  ],
  'The bot speaks through a speech service that was configured, not through the local voice.': [
    'Der Bot spricht über einen eingestellten Sprachdienst, nicht mit der lokalen Stimme.',
    'El bot habla por un servicio de voz configurado, no con la voz local.',
  ],
  'There is no call in this channel': [
    'In diesem Kanal wird nicht gesprochen.',
    'En este canal no hay ninguna llamada.',
  ],
  'The bot is in no voice channel of this server': [
    'Der Bot ist in keinem Sprachkanal dieses Servers.',
    'El bot no está en ningún canal de voz de este servidor.',
  ],
};

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const PATTERNS = Object.entries(PROBLEMS).map(([english, [de, es]]) => ({
  matches: new RegExp(`^${escaped(english).replace(/\\\{\d\\\}/g, '(.*?)')}$`, 's'),
  de,
  es,
}));

/** The words of a refusal in the page's language; as they came where it has no others. */
export function problemIn(language, words) {
  if (language === 'en') return words;
  for (const { matches, ...translated } of PATTERNS) {
    const found = matches.exec(words);
    if (found)
      return translated[language].replace(/\{(\d)\}/g, (_mark, index) => problemIn(language, found[Number(index) + 1]));
  }
  return words;
}
