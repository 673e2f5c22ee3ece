import { SPEED_RANGE, TEMPERATURE_RANGE } from '../speech/interface/models.ts';
import type { Catalogue } from './keys.ts';

/** Spanish for Spain and Latin America, in the words of Discord's own client. Commands and options keep their English names. */
export const es: Catalogue = {
  'language.own-name': 'Español',

  // Parts of other texts
  'voice.label': '{name} ({model})',
  'credits.used-and-left':
    '-# {used, plural, one {# crédito usado} other {# créditos usados}}, {left, plural, one {queda # crédito} other {quedan # créditos}}.',
  'credits.used-and-left-local':
    '-# {used, plural, one {# crédito usado} other {# créditos usados}}, {left, plural, one {queda # crédito} other {quedan # créditos}}. La voz es local: no cuesta nada.',
  'spent.used': '-# {used, plural, one {# crédito usado} other {# créditos usados}}.',
  'spent.maybe-more': '-# Lo que se estaba creando al detenerlo puede costar algo más.',
  'spent.cached': '-# Ya se había creado antes y estaba guardado: no se han usado créditos.',
  'list.separator': ', ',
  'parameter.voice': 'voz',
  'parameter.style': 'estilo',
  'parameter.speed': 'velocidad',
  'parameter.temperature': 'temperatura',
  'parameter.seed': 'semilla',
  'parameter.format': 'formato',
  // After 'ignores'
  'ignored.style': 'estilo',
  'ignored.speed': 'velocidad',
  'ignored.temperature': 'temperatura',
  'ignored.seed': 'semilla',
  'source.option': 'como lo has pedido',
  'source.forced': 'elegida para este servidor en lugar de la propia',
  'source.own-here': 'lo tuyo en este servidor',
  'source.own-everywhere': 'lo tuyo en todas partes',
  'source.server': 'lo predeterminado de este servidor',
  'source.bot': 'lo predeterminado del bot',

  // /say
  'say.description': 'Decir un texto en tu canal de voz, o darlo como archivo o mensaje de voz',
  'say.text': 'Qué decir',
  'say.voice': 'Escribe un nombre, modelo o idioma y elige una voz; si no, habla la tuya de siempre',
  'say.style': 'Cómo decirlo, por ejemplo: susurrando. Solo algunas voces',
  'say.speed': `Velocidad: 1 es normal, ${SPEED_RANGE.min} la más lenta, ${SPEED_RANGE.max} la más rápida. Solo algunas voces`,
  'say.temperature': `Variación: ${TEMPERATURE_RANGE.min} la más uniforme, ${TEMPERATURE_RANGE.max} la más libre. Solo algunas voces`,
  'say.seed': 'Un número con el que el mismo texto vuelve a sonar igual. Solo algunas voces',
  'say.format': 'El tipo de audio que se pide al servicio de voz',
  'say.spoken': 'Dicho en {channel} con {voice}: “{text}”',
  'say.stopped': 'Detenido antes del final, en {channel} con {voice}: “{text}”',
  'say.default-gone':
    '-# La voz predeterminada de este servidor, {voice}, ya no existe, así que habló la predeterminada del bot.',
  'say.own-gone': '-# Tu propia voz, {voice}, ya no existe, así que habla otra. Elige de nuevo con /voice set.',
  'say.ignored': '-# {voice} no lo admite y se ha omitido: {parameters}.',
  'say.channel': 'El canal de voz en el que hablar; si no, el tuyo',
  'say.as': 'Dicho en el canal de voz, o como archivo de audio o mensaje de voz; si no, dicho',
  'say.as.voice': 'en el canal de voz',
  'say.as.file': 'archivo de audio',
  'say.as.voice-message': 'mensaje de voz',
  'say.form': 'Decir un texto largo',
  'say.form-text': 'Qué decir',
  'say.form-hint': 'Hasta 4000 caracteres, dichos sin interrupción.',
  'say.confirm':
    'Es un texto largo: se {characters, plural, one {cobra # carácter} other {cobran # caracteres}}. {as, select, voice {¿Decirlo?} file {¿Crear el archivo?} other {¿Crear el mensaje de voz?}}',
  'say.confirm-about':
    'Es un texto largo: se {characters, plural, one {cobra # carácter} other {cobran # caracteres}}, unos {about, plural, one {# crédito} other {# créditos}}. {as, select, voice {¿Decirlo?} file {¿Crear el archivo?} other {¿Crear el mensaje de voz?}}',
  'say.confirm-yes': '{as, select, voice {Decirlo} file {Crear el archivo} other {Crear el mensaje de voz}}',
  'say.again': 'Intentar de nuevo',
  'say.edit': 'Editar el texto',
  'say.skip': 'Saltar',
  'say.stop': 'Detener',
  'say.replay': 'Decir otra vez',
  'say.save': 'Guardar como archivo',
  'say.waiting': '-# Espera en la posición {position, number}.',
  'say.waiting-for': '-# Espera en la posición {position, number}, unos {wait}.',
  'say.joining': '-# Entrando en {channel} …',
  'say.raising-hand': '-# Pidiendo la palabra en {channel}: alguien que modere el escenario tiene que invitar al bot …',
  'say.synthesising': '-# Creando el audio …',
  'say.busy': '-# El servicio de voz está saturado: se intenta desde hace {seconds, number} s …',
  'say.synthesising-part': '-# Creando el audio: parte {part, number} de {parts, number} …',
  'say.speaking': '-# Hablando en {channel} con {voice}: “{text}”',
  'say.speaking-part': '-# Diciendo la parte {part, number} de {parts, number} en {channel} con {voice}: “{text}”',
  'say.paused': '-# En pausa en {channel}. Con /resume sigue.',
  'say.billed':
    '-# Se {characters, plural, one {cobra # carácter} other {cobran # caracteres}}, en {parts, number} partes.',
  'say.file': 'Con {voice}: “{text}”',
  'say.voice-message': 'Enviado con {voice}: “{text}”',
  'say.voice-message-refused':
    '-# Discord no acepta aquí mensajes de voz del bot, así que esto es un archivo. En un servidor el bot necesita el permiso Enviar mensajes de voz.',
  'say.no-voice-here':
    'Aquí no hay ningún canal de voz. Elige “archivo de audio” o “mensaje de voz” en la opción as de /say.',
  'say.text-too-slow':
    'Esto no se ha dicho: revisar sus palabras tardaba demasiado. Escríbelo con menos signos o más sencillos.',
  'say.texts-busy': 'Ahora mismo se están revisando demasiados textos largos. Inténtalo de nuevo en unos segundos.',
  'say.too-long':
    'Ese texto es demasiado largo: tiene {length, number} caracteres y este servidor permite {limit, number}. Acórtalo.',
  'say.empty': 'En ese texto no hay nada que decir: le hace falta una letra, una cifra o un emoji.',
  'say.silenced':
    'El diccionario de este servidor no deja nada que decir de ese texto. Usa otras palabras, o pide a alguien que administre el servidor que lo cambie con /dictionary list.',

  // Message commands, and what can be kept
  'speak-message.description': 'Decir ese mensaje con tu voz en tu canal de voz',
  'save-speech.description': 'Darte ese mensaje como archivo de audio, con tu voz',
  'speak-message.bots-own':
    'Ese mensaje es del propio bot. Para oír otra vez lo que se dijo, usa “Decir otra vez” debajo o /replay; “Guardar como archivo” te lo da como archivo.',
  'save.saved': 'Guardado: “{text}”',

  // /voices
  'voices.description': 'Ver las voces que se pueden usar',
  'voices.search': 'Ver solo las voces que coinciden con un nombre, un modelo o un idioma',
  'voices.model-option': 'Ver solo las voces de este modelo',
  'voices.language-option': 'Ver solo las voces que hablan este idioma',
  'voices.title': '{count, plural, one {# voz} other {# voces}} para elegir:',
  'voices.found': '{count, plural, one {# voz coincide} other {# voces coinciden}} con “{search}”:',
  'voices.left': '{count, plural, one {# voz} other {# voces}} de ese tipo:',
  'voices.line': '- **{name}** ({model}), {language}{style, select, yes {, admite estilo} other {}}',
  'voices.any-language': 'cualquier idioma',
  'voices.every-model': 'Todos los modelos',
  'voices.every-language': 'Todos los idiomas',
  'voices.count': '{count, plural, one {# voz} other {# voces}}',
  'voices.option': '{model} · {language}',
  'voices.choose': 'Elige una voz para oírla o quedártela',
  'voices.hint': '-# Elige una abajo para oírla o quedártela, o escribe su nombre en la opción voice de /say.',
  'voices.none':
    'Ninguna voz coincide con “{search}”. Busca algo más corto, o usa solo /voices para ver la lista entera.',
  'voices.none-left': 'No hay ninguna voz de ese tipo. Elige otro modelo u otro idioma.',
  'voices.none-both':
    'Hay voces que coinciden con “{search}”, pero ninguna de ese modelo y ese idioma. Elige otro modelo u otro idioma.',
  'voices.unknown-model': 'No hay ninguna voz de un modelo “{model}”. Usa solo /voices para ver los modelos que hay.',
  'voices.unknown-language':
    'El bot no conoce ningún idioma “{language}”. Elige uno de la lista, o escribe su nombre o su código, como español o es.',
  'voices.gone': 'Esa voz ya no existe. Mira con /voices las que hay.',
  'voices.card':
    '**{name}**\nModelo: {model}\nIdioma: {language}\nFormatos: {formats}\nEstilo: {style, select, yes {se puede indicar} other {no lo admite}}',
  'voices.preview': 'Escuchar',
  'voices.use-mine': 'Usar como mía',
  'voices.use-default': 'Usar en todo el servidor',
  'voices.sample': '¡Hola! Así sueno yo. Espero que te guste lo que oyes.',
  'voices.previewed': 'Esa era {voice}.',
  'voices.stale': '-# El servicio de voz no responde en este momento; esta lista es de {since}.',

  // /tags
  'tags.description': 'Ver las etiquetas de habla que entiende una voz',
  'tags.voice': 'La voz; si no, con la que sueles hablar',
  'tags.none':
    '{voice} no entiende etiquetas: las leería en voz alta. Busca otra voz con /voices, o usa la opción style de /say con una voz que la admita.',
  'tags.square':
    '{voice} entiende etiquetas entre corchetes, con tus propias palabras, allí donde deben surtir efecto: `[whispering]`, `[cheerful]`, `[pause]`.',
  'tags.angle':
    '{voice} entiende etiquetas cortas entre ángulos, con tus propias palabras, allí donde deben oírse: `<sigh>`, `<short pause>`. Cómo se dice el texto entero va en la opción style de /say.',
  'tags.closed': '{voice} entiende estas etiquetas.',
  'tags.instant': 'En su sitio: {tags}',
  'tags.wrapping': 'Alrededor de palabras: {tags}',
  'tags.hint': '-# Ponlas en el texto de /say. Cuentan como caracteres; una etiqueta mal escrita se lee en voz alta.',
  'tags.sample-square': '[cheerful] ¡Hola! [whispering] Esto es un secreto. [pause] Y ahora ya lo sabes.',
  'tags.sample-angle': 'Bueno. <sigh> Ahí está otra vez. <short pause> ¿Qué hacemos?',
  'tags.sample-closed': '¡Hola! [chuckle] <whisper>Esto es un secreto.</whisper> [pause] Y ahora ya lo sabes.',

  // /voice
  'voice.description': 'Elegir con qué hablas',
  'voice.set.description': 'Guardar voz, estilo, velocidad o temperatura para todo lo que digas',
  'voice.set.voice': 'Escribe un nombre, un modelo o un idioma y elige la voz que quieres guardar',
  'voice.show.description': 'Ver con qué hablas y de dónde viene cada valor',
  'voice.reset.description': 'Quitar lo que has guardado',
  'voice.reset.what': 'Qué quitar; si no, todo',
  'voice.where': 'Dónde vale; si no, en este servidor',
  'voice.where.here': 'este servidor',
  'voice.where.everywhere': 'en todas partes',
  'voice.style': '“{style}”',
  'voice.number': '{value, number}',
  'voice.unset': 'nada propio',
  'voice.set.kept':
    '{where, select, here {Guardado para lo que digas en este servidor:} other {Guardado para lo que digas en todos los servidores:}}',
  'voice.set.changed': '- {parameter}: {after}. Antes: {before}.',
  'voice.set.unchanged': '- {parameter}: {after}, como antes.',
  'voice.set.nothing': 'Di qué guardar: una voz, un estilo, una velocidad o una temperatura.',
  'voice.set.shadowed':
    '-# Aquí va primero lo que has elegido para este servidor: {parameters}. Con /voice reset lo quitas.',
  'voice.set.overruled': '-# Aun así, en este servidor habla {voice} ({source}).',
  'voice.show.title-direct': 'Con qué hablas en todas partes donde no has elegido otra cosa:',
  'voice.show.title': 'Con qué hablas en este servidor:',
  'voice.show.value': '- {parameter}: {value} ({source})',
  'voice.show.unset': '- {parameter}: como lo tenga la voz',
  'voice.show.gone': '-# La voz elegida, {voice}, ya no existe ({source}).',
  'voice.show.hint': '-# Cámbialo con /voice set, quítalo con /voice reset. Las opciones de /say van primero.',
  'voice.reset.done': '{where, select, here {Quitado en este servidor:} other {Quitado en todos los servidores:}}',
  'voice.reset.value': '- {parameter}: aquí ahora {value} ({source}). Antes: {before}.',
  'voice.reset.unset': '- {parameter}: aquí ahora como lo tenga la voz. Antes: {before}.',
  'voice.reset.nothing':
    '{where, select, here {No has guardado nada así para este servidor.} other {No has guardado nada así para todos los servidores.}} Míralo con /voice show.',

  // /credits
  'credits.description': 'Ver cuántos créditos quedan para hablar',
  'credits.left': '{left, plural, one {Queda # crédito} other {Quedan # créditos}}.',
  'credits.updated': 'Último cambio: {when}.',
  'credits.left-local':
    '{left, plural, one {Queda # crédito} other {Quedan # créditos}}. La voz es local: funciona junto al bot y sus créditos no cuestan nada.',
  'credits.used':
    '- {who, select, here {Tú, en este servidor} everywhere {Tú, en todas partes} server {Este servidor} other {Todos los servidores juntos}}: {today, plural, one {# crédito} other {# créditos}} de {limit, number} hoy, {month, number} este mes.',
  'credits.cached':
    '-# {month, plural, one {# texto} other {# textos}} de este mes ya se habían dicho antes y no costaron nada.',
  'credits.renews': 'Los límites de hoy se renuevan {when}, a las 00:00 UTC.',
  'credits.transaction': '-# Para ti como dueño del bot: último movimiento {when}: {type} {amount}. {description}',
  'credits.no-transaction': '-# Para ti como dueño del bot: la cuenta todavía no ha tenido movimientos.',

  // To the owner, when the account runs low, or what was paid for is lost
  'account.low':
    '{left} {remedy} Esto se dice una vez; de nuevo solo cuando hayan entrado créditos y se hayan gastado.',
  'account.left':
    'Para hablar {left, plural, =0 {no quedan créditos} one {solo queda # crédito} other {solo quedan # créditos}}.',
  'account.ran-out':
    'No se pudo decir un texto: {left, plural, =0 {no quedan créditos} one {solo queda # crédito} other {solo quedan # créditos}}.',
  'account.remedy': 'Recarga la cuenta del servicio de voz.',
  'account.remedy-url': 'Recarga aquí: {url}',
  'account.remedy-local': 'La voz es local: el README dice en “The voice” cómo darle más.',
  'account.lost-sounds':
    'Los últimos {lost, plural, other {# textos}} con el modelo {model} se pagaron y no se pudieron reproducir. {why} Desde ahora no se paga nada con él, salvo una prueba a intervalos cada vez mayores. Esto se dice una vez, y de nuevo cuando funcione.',
  'account.sounds-arrive':
    'Lo que se paga con el modelo {model} se puede reproducir otra vez: los textos nuevos se dicen como antes.',

  // /settings
  'settings.description': 'Cambiar cómo se comporta el bot en este servidor',
  'settings.panel.description': 'Abrir un panel con todo lo que se puede ajustar en este servidor',
  'settings.read.description': 'Leer lo que se escribe en un canal, o dejar de leerlo',
  'settings.read.channel': 'El canal de texto o el foro',
  'settings.read.on': 'Con False deja de leerse; si no, se lee',
  'settings.mute.description': 'Que para un miembro no se diga nada más, o de nuevo sí',
  'settings.mute.member': 'El miembro',
  'settings.mute.on': 'Con False puede volver a hablar; si no, queda silenciado',
  'settings.mute.itself':
    'Ese es el propio bot, que solo habla por otros. Elige a un miembro, o haz que el bot se vaya con /leave.',
  'settings.managers-exempt': 'Quienes gestionan el servidor pueden seguir usando /say.',
  'settings.limits.description': 'Ver o limitar los créditos que se gastan al día en este servidor',
  'settings.limits.server': 'Créditos al día para todo el servidor, dentro de lo que permite el dueño del bot',
  'settings.limits.member': 'Créditos al día para cada miembro, dentro de lo que permite el dueño del bot',
  'settings.limits.hint': '-# Para cambiarlos: /settings limits con server o member. Para quitarlos: /settings panel.',
  'settings.language.description': 'Ver o elegir el idioma de los avisos; las respuestas siguen el de cada persona',
  'settings.language.language': 'El idioma a partir de ahora; no lo indiques para ver el actual',
  'settings.language.reset': 'Volver al idioma que el servidor tiene en Discord',
  'settings.language.hint':
    '-# Para cambiarlo: /settings language con un idioma. Para volver al del servidor en Discord: con reset.',
  'settings.language.both': 'Elige una de las dos cosas: un idioma, o reset para volver al del servidor en Discord.',
  'settings.changed': '{setting}: ahora {after}. Antes: {before}.',
  'settings.unchanged': 'No ha cambiado nada.',
  'settings.title': '## Ajustes de este servidor',
  'settings.page.voices': 'Voces',
  'settings.page.people': 'Quién puede usarlo, y dónde',
  'settings.page.limits': 'Límites y gastos',
  'settings.page.reading': 'Lectura de mensajes, avisos',
  'settings.page.presence': 'Presencia e idioma',
  'settings.page.words': 'Palabras bloqueadas',
  'settings.page.data': 'Exportar, importar, restablecer',
  'settings.value': '**{setting}**: {value}',
  'settings.value-default': '**{setting}**: {value} (lo predeterminado del bot)',
  'settings.turn-on': 'Activar: {setting}',
  'settings.turn-off': 'Desactivar: {setting}',
  'settings.choose-default': 'Voz predeterminada …',
  'settings.choose-forced': 'Voz en lugar de la propia …',
  'settings.choose-manner': 'Estilo y velocidad …',
  'settings.choose-voices': 'Voces permitidas …',
  'settings.choose-texts': 'Textos y cola …',
  'settings.choose-credits': 'Créditos al día …',
  'settings.choose-times': 'Cuándo irse …',
  'settings.choose-words': 'Palabras bloqueadas …',
  'settings.voice-hint': 'Un nombre como en /voices; vacío: ninguna',
  'settings.forced-hint': 'Como en /voices; vacío: ninguna. Solo una voz indicada en /say va antes, si está permitida',
  'settings.voices-hint': 'Una por línea, como en /voices; vacío: todas permitidas',
  'settings.words-hint': 'Una por línea; * en un extremo vale por cualquier cosa',
  'settings.credits-hint': 'Nunca más de lo que permite el dueño del bot; vacío: ese límite',
  'settings.seconds-hint': 'Segundos; 0 es al momento; vacío: lo predeterminado del bot',
  'settings.range': 'De {min, number} a {max, number}; vacío: lo predeterminado del bot',
  'settings.bad-number':
    '{setting}: escribe {whole, select, yes {un número entero} other {un número}} de {min, number} a {max, number}. No se ha cambiado nada.',
  'settings.changed-meanwhile':
    '{setting}: otra persona lo ha cambiado mientras tanto, así que no se ha cambiado nada. Abre el formulario otra vez para verlo.',
  'settings.too-many': 'Son demasiados: como mucho {limit, number}. No se ha cambiado nada.',
  'settings.reading-off':
    '-# Quien administra este bot no ha activado la lectura de mensajes (READ_MESSAGES), así que todavía no se lee nada.',
  'settings.reading-unseen':
    '-# El bot no ve {channels}, así que allí no se lee nada. Dale allí el permiso “Ver canal”.',
  'settings.dictionary-hint': '-# Cómo se pronuncian las palabras se ajusta con /dictionary.',
  'settings.data':
    'Exportar te da un archivo con todos los ajustes de este servidor. Importar los sustituye por los de un archivo. Restablecer lo quita todo y te da un archivo con lo que había.',
  'settings.see-data': '⚠️ No se ha podido leer todo lo que estaba ajustado: mira la página “{page}”.',
  'settings.unreadable':
    'Esta versión del bot no puede leer lo que había aquí: {settings}. Las restricciones valen en su forma más estricta y lo demás está como lo tiene el bot. Elige de nuevo o espera una versión que lo lea.',
  'settings.unreadable-all': 'todos los ajustes',
  'settings.set-aside': 'Apartado cuando no se podía leer, y ahora legible: {settings}.',
  'settings.set-aside-hint':
    'Recuperar repone lo que se puede leer. Descartar borra todo esto para siempre: lo que no se puede leer contará como nunca ajustado, también las restricciones.',
  'settings.restore': 'Recuperar',
  'settings.discard': 'Descartar',
  'settings.export': 'Exportar',
  'settings.exported': 'Todos los ajustes de este servidor. Con Importar los recuperas.',
  'settings.import': 'Importar …',
  'settings.import-file': 'Archivo',
  'settings.import-hint': 'Uno hecho con Exportar; sustituye todos los ajustes',
  'settings.import-not-json': 'Ese archivo no es JSON, así que no se ha cambiado nada. Elige uno hecho con Exportar.',
  'settings.import-wrong':
    'Ese archivo tiene un error en “{where}”: {problem}. No se ha cambiado nada. Elige uno hecho con Exportar.',
  'settings.import-kind': 'ahí tiene que ir otra cosa',
  'settings.import-unknown': 'ese ajuste no existe',
  'settings.import-least': 'tiene que ser al menos {limit, number}',
  'settings.import-most': 'puede ser como mucho {limit, number}',
  'settings.import-choice': 'tiene que ser {choices}',
  'settings.reset': 'Restablecer …',
  'settings.reset-sure': '¿Quitar todos los ajustes de este servidor? Recibes un archivo con lo que había.',
  'settings.reset-yes': 'Restablecer todo',
  'settings.was-reset':
    'Todos los ajustes vuelven a ser los del bot. Este archivo guarda lo que había: con Importar lo recuperas.',
  'upload.none': 'No se ha dado ningún archivo. Elige uno y envía el formulario otra vez.',
  'upload.too-large': 'Ese archivo es demasiado grande: como mucho {kilobytes, number} kB. No se ha cambiado nada.',
  'upload.not-text': 'Ese archivo no es de texto, así que no se ha cambiado nada.',
  'upload.unreachable': 'No se pudo obtener el archivo de Discord, así que no se ha cambiado nada. Inténtalo de nuevo.',

  // Settings by name
  'setting.defaultVoice': 'Voz predeterminada',
  'setting.style': 'Estilo predeterminado',
  'setting.speed': 'Velocidad predeterminada',
  'setting.temperature': 'Temperatura predeterminada',
  'setting.forcedVoice': 'Voz en lugar de la propia',
  'setting.allowedModels': 'Modelos permitidos',
  'setting.allowedVoices': 'Voces permitidas',
  'setting.allowedRoles': 'Solo estos roles',
  'setting.blockedRoles': 'Roles bloqueados',
  'setting.mutedMembers': 'Miembros silenciados',
  'setting.allowedChannels': 'Solo estos canales',
  'setting.maxCharacters': 'Texto más largo, en caracteres',
  'setting.confirmAboveCharacters': 'Preguntar si pasa de tantos caracteres',
  'setting.queueLimit': 'Textos en espera',
  'setting.memberQueueLimit': 'Textos en espera, por miembro',
  'setting.cooldownSeconds': 'Pausa entre dos textos, en segundos',
  'setting.creditsPerServer': 'Créditos al día, servidor',
  'setting.creditsPerMember': 'Créditos al día, por miembro',
  'setting.autoReadChannels': 'Canales que se leen',
  'setting.autoReadVoiceChat': 'Leer el chat del canal de voz',
  'setting.autoReadNames': 'Quién lo escribió',
  'setting.autoReadNames.always': 'se dice siempre',
  'setting.autoReadNames.on-change': 'se dice cuando escribe otra persona',
  'setting.autoReadNames.never': 'no se dice nunca',
  'setting.autoReadBots': 'Leer bots y webhooks',
  'setting.announceJoins': 'Anunciar quién entra',
  'setting.announceLeaves': 'Anunciar quién sale',
  'setting.aloneSeconds': 'Segundos a solas antes de irse',
  'setting.idleSeconds': 'Segundos en silencio antes de irse',
  'setting.hushed': 'Irse sin decir nada',
  'setting.resumeTexts': 'Seguir hablando tras un reinicio',
  'setting.language': 'Idioma de los avisos',
  'setting.tags': 'Etiquetas de habla',
  'setting.blockedWords': 'Palabras bloqueadas',
  'setting.blockedWordsMode': 'Qué pasa con ellas',
  'setting.blockedWordsMode.refuse': 'se rechaza el texto',
  'setting.blockedWordsMode.bleep': 'se tapan con un pitido',
  'setting.moderationChannel': 'Registro de moderación',
  'setting.on': 'sí',
  'setting.off': 'no',
  'setting.number': '{value, number}',
  'setting.plain': '{value}',
  'setting.words': '{count, plural, one {# palabra} other {# palabras}}',
  'setting.more': 'y {count, number} más',
  'setting.owners-limit': '{limit, number} (lo máximo que permite el dueño del bot)',
  'setting.above-owners-limit': '{value, number} (pero el dueño del bot permite como mucho {limit, number})',
  'setting.unset.none': 'nada',
  'setting.unset.nothing': 'ninguno',
  'setting.unset.all': 'sin restricción',
  'setting.unset.server': 'el del servidor en Discord',
  'setting.unset.default': 'como lo tenga el bot',

  'settings.voice.description': 'Ver o fijar la voz de quienes no han elegido una propia',
  'settings.voice.voice': 'La voz a partir de ahora; no la indiques para ver la actual',
  'settings.voice.reset': 'Volver a la voz predeterminada del bot',
  'settings.voice.now':
    'La voz predeterminada de este servidor es {voice}. Para cambiarla: /settings voice con otra voz.',
  'settings.voice.unset':
    'Este servidor no tiene voz predeterminada propia, así que se usa la del bot: {voice}. Para fijar una: /settings voice con una voz.',
  'settings.voice.gone': 'La voz que se había elegido aquí, {voice}, ya no existe.',
  'settings.voice.changed': 'La voz predeterminada de este servidor es ahora {after}. Antes: {before}.',
  'settings.voice.unchanged': 'La voz predeterminada de este servidor ya es {voice}.',
  'settings.voice.before-unset': 'la predeterminada del bot',
  'settings.voice.was-reset': 'Este servidor vuelve a usar la voz predeterminada del bot, {voice}. Antes: {before}.',
  'settings.voice.both': 'Elige una de las dos cosas: una voz, o reset para volver a la predeterminada del bot.',

  // /stop, /leave, /help
  'stop.description': 'Dejar de hablar y vaciar la cola',
  'stop.stopped':
    '{waiting, plural, =0 {Detenido.} one {Detenido, y descartado un texto que esperaba.} other {Detenido, y descartados # textos que esperaban.}}',
  'stop.own': '{count, plural, one {Se terminó un texto.} other {Se terminaron # textos.}} Los demás siguen.',
  'stop.nothing': 'En este momento no se está diciendo nada.',
  'skip.description': 'Saltar lo que se está diciendo, o un texto que espera',
  'skip.position': 'Su número en /queue; si no, lo que se está diciendo ahora',
  'skip.skipped': 'Saltado: “{text}”',
  'skip.skipped-unseen': 'Se saltó un texto de {member}.',
  'skip.no-such': 'No hay nada en la posición {position, number}. Mira /queue.',
  'skip.not-yours':
    'Ese texto es de {member}. Solo esa persona, y quien puede mover o silenciar miembros, puede hacerlo.',
  'pause.description': 'Poner en pausa lo que se está diciendo; /resume sigue',
  'pause.paused': 'En pausa. Con /resume sigue donde se quedó.',
  'pause.already': 'Ya está en pausa. Con /resume sigue.',
  'resume.description': 'Seguir después de /pause',
  'resume.resumed': 'Sigue.',
  'resume.nothing': 'No hay nada en pausa.',
  'queue.description': 'Ver lo que se está diciendo y lo que espera',
  'queue.empty': 'No se está diciendo nada, y nada espera. Con /say haces que diga algo.',
  'queue.now': 'Ahora: {member}: {words}',
  'queue.paused': 'En pausa: {member}: {words}',
  'queue.nothing-waits': 'No espera nada más.',
  'queue.waiting': '{position, number}. {member}: {words}',
  'queue.waiting-for': '{position, number}. {member}: {words} (en unos {wait})',
  'queue.words': '“{text}”',
  'queue.unseen': 'en un canal de voz que no puedes ver',
  'page.of': '-# Página {page, number} de {pages, number}',
  'page.previous': 'Página anterior',
  'page.next': 'Página siguiente',
  'page.refresh': 'Actualizar',
  'replay.description': 'Decir otra vez lo último que se dijo; no cuesta nada',
  'replay.speaking': '-# Diciendo otra vez en {channel}: “{text}”',
  'replay.spoken': 'Dicho otra vez en {channel}: “{text}”',
  'replay.stopped': 'Detenido antes del final, en {channel}: “{text}”',
  'credits.none-used': '-# No se han usado créditos.',
  'join.description': 'Traer el bot a un canal de voz',
  'join.channel': 'El canal al que viene; si no, el tuyo',
  'join.joined': 'Ha entrado en {channel}.',
  'join.already': 'El bot ya está en {channel}.',
  'leave.description': 'Salir del canal de voz y vaciar la cola',
  'leave.left': 'Ha salido de {channel}.',
  'leave.not-yours':
    '{member} todavía tiene algo que decir ahí. Haz salir al bot cuando se haya dicho. Quien puede mover o silenciar miembros puede hacerlo ya.',
  'leave.absent': 'El bot no está en ningún canal de voz de este servidor.',
  // /about
  'about.description': 'Ver qué bot es este y con qué habla',
  'about.crier': 'Crier {version}, un bot que dice textos en canales de voz.',
  'about.voice-local': 'Su voz es local: funciona junto al bot y no cuesta nada.',
  'about.voice-service': 'Su voz viene de un servicio de voz; /credits muestra lo que queda.',
  'about.ping': 'Discord le responde en {ping, number} ms.',
  'about.hint': '-# /help muestra lo que puede hacer, /privacy lo que guarda.',

  'help.description': 'Ver lo que puede hacer el bot',
  'help.command-option': 'El comando que explicar, con sus opciones',
  'help.title-direct': 'Escribe /say: el bot responde con un mensaje de voz o un archivo de audio.',
  'help.title': 'Entra en un canal de voz y escribe /say: el bot viene contigo y habla.',
  'help.command': '**/{name}**: {description}',
  'help.message-command': '**{name}** (en el menú Aplicaciones de un mensaje): {description}',
  'help.more':
    '-# Lo que está [entre corchetes] se puede omitir. /help con el nombre de un comando explica sus opciones.',
  'help.for-managers': '-# Para quienes gestionan el servidor y para quienes recibieron de ellos el comando.',
  'help.option': '- {name}{required, select, yes {} other { (se puede omitir)}}: {description}',

  // Refusals: who, where, when
  'refused.not-in-voice': 'No estás en ningún canal de voz. Entra en uno y usa /{command} otra vez.',
  'refused.not-in-voice-again': 'No estás en ningún canal de voz. Entra en uno e inténtalo de nuevo.',
  'refused.server-only': 'Esto solo funciona en un servidor, no en mensajes directos.',
  'refused.direct-off':
    'Quien administra este bot no lo ha activado para mensajes directos ni otros servidores. Úsalo en un servidor en el que esté.',
  'refused.not-permitted': 'Esto es para quienes gestionan el servidor.',
  'refused.not-given':
    'Esto es para quienes gestionan el servidor y para quienes recibieron de ellos el comando. Si es tu caso, usa /{command}.',
  'refused.over-item': 'Esto ya pasó: se dijo o se saltó.',
  'refused.you-lack': 'Te falta en {channel}: {permissions}. Por eso no puedes enviar el bot allí.',
  'refused.over': 'Esto ya pasó: el mensaje es de antes. Usa el comando otra vez.',
  'refused.member-muted': 'Quienes gestionan este servidor te han silenciado para el bot.',
  'refused.blocked-role': 'Quienes gestionan este servidor no dejan que {role} haga decir textos.',
  'refused.role-needed': 'En este servidor el bot solo habla para quienes tienen uno de estos roles: {roles}.',
  'refused.channel-needed': 'En este servidor el bot solo se usa en {channels}.',
  'refused.not-spoken-there': 'En este servidor el bot no habla en {channel}, solo en {channels}.',
  'refused.server-cooldown':
    'En este servidor hay una pausa entre dos textos. Inténtalo de nuevo en {seconds, plural, one {# segundo} other {# segundos}}.',
  'refused.voice-not-allowed': 'En este servidor no se puede usar {voice}. Mira con /voices las que están permitidas.',
  'refused.cooldown':
    'Eso fue muy rápido. Usa /{command} de nuevo en {seconds, plural, one {# segundo} other {# segundos}}.',
  'refused.cooldown-again':
    'Eso fue muy rápido. Inténtalo de nuevo en {seconds, plural, one {# segundo} other {# segundos}}.',
  'refused.missing-permissions':
    'El bot no puede hablar en {channel}, le falta: {permissions}. Pide a alguien que gestione el servidor que se lo permita al bot en ese canal.',
  'refused.channel-full':
    '{channel} está lleno ({limit, plural, one {# persona} other {# personas}}). Que alguien haga sitio o suba su límite de usuarios, e inténtalo de nuevo.',
  'refused.stage':
    'En {channel} el bot no puede subir al escenario: le falta “Silenciar miembros”, y también “Solicitar hablar”. Pide uno de estos permisos, o usa un canal de voz.',
  'stage.not-invited':
    'El bot ha pedido la palabra en {channel}, pero nadie lo ha invitado. Inténtalo de nuevo y pide a alguien que modere el escenario que invite al bot a hablar en menos de un minuto.',
  'refused.busy-elsewhere':
    'El bot está ahora en {channel} con otras personas. Ve allí con ellas, o espera a que se haya ido.',
  'refused.nobody-there': 'En {channel} no hay nadie que lo oiga. Entra tú, o elige un canal en el que haya alguien.',
  'refused.other-channel': 'El bot está en {channel}. Entra allí para usar /{command}.',
  'refused.queue-full':
    'Aquí ya {limit, plural, one {espera # texto} other {esperan # textos}}, que es el máximo. Inténtalo de nuevo cuando se hayan dicho algunos.',
  'refused.own-queue-full':
    'Ya {limit, plural, one {espera # texto tuyo} other {esperan # textos tuyos}}, que es el máximo por persona. Inténtalo de nuevo cuando se hayan dicho algunos.',
  'refused.duplicate': 'Ese texto ya está en la cola. Puedes volver a pedirlo cuando se haya leído.',
  'refused.afk':
    '{channel} es el canal AFK de este servidor, donde no se oye a nadie. Entra en otro canal de voz e inténtalo de nuevo.',
  'refused.muted':
    'Alguien de moderación ha silenciado el bot en este servidor, así que nadie lo oiría. Pide que lo quiten: clic derecho en el bot, Silenciar en el servidor.',
  'refused.timed-out':
    'Alguien de moderación ha aislado temporalmente el bot en este servidor hasta {until}. Pide que lo quiten, o inténtalo de nuevo después.',
  'replay.gone': 'Lo dicho se guarda solo unos minutos, y esto ya no está. Usa /say para decirlo de nuevo.',
  'refused.spending':
    '{limit} Este texto costaría unos {about, plural, one {# crédito} other {# créditos}}. El límite se renueva {when}, a las 00:00 UTC. {advice}',
  'refused.spending.member-here':
    'Puedes usar {limit, plural, one {# crédito} other {# créditos}} al día en este servidor, y para hoy {left, plural, =0 {no queda ninguno} one {queda #} other {quedan #}}.',
  'refused.spending.member':
    'Puedes usar {limit, plural, one {# crédito} other {# créditos}} al día en todos los servidores juntos, y para hoy {left, plural, =0 {no queda ninguno} one {queda #} other {quedan #}}.',
  'refused.spending.server':
    'Este servidor puede usar {limit, plural, one {# crédito} other {# créditos}} al día, y para hoy {left, plural, =0 {no queda ninguno} one {queda #} other {quedan #}}.',
  'refused.spending.total':
    'Este bot puede usar {limit, plural, one {# crédito} other {# créditos}} al día para todos sus servidores juntos, y para hoy {left, plural, =0 {no queda ninguno} one {queda #} other {quedan #}}.',
  'refused.spending.others':
    'Lo que un miembro puede usar al día ya no alcanza para él. El límite se renueva {when}, a las 00:00 UTC. {advice}',
  'refused.spending.ask-admin':
    '{left, plural, =0 {} other {Hasta entonces, prueba con un texto más corto. }}Quien gestiona este servidor puede subirlo.',
  'refused.spending.ask-owner':
    '{left, plural, =0 {} other {Hasta entonces, prueba con un texto más corto. }}Quien administra este bot puede subirlo.',
  'refused.lost-sounds':
    'Los últimos textos con el modelo de esta voz se pagaron y no se pudieron reproducir, así que no se pagan más. La próxima prueba es posible {when}; hasta entonces elige una voz de otro modelo. Quien administra este bot ya lo sabe.',
  'refused.unknown-voice':
    'No hay ninguna voz “{voice}”. Escribe parte de un nombre en la opción voice y elige una de la lista, o mira /voices.',
  'refused.unknown-voice-did-you-mean':
    'No hay ninguna voz “{voice}”. ¿Querías decir {suggestions}? Elige una de la lista mientras escribes, o mira /voices.',
  'refused.ambiguous-voice':
    'Varias voces se llaman “{voice}”: {candidates}. Elige una de la lista que se abre mientras escribes.',
  'refused.out-of-range': 'La opción {option} va de {min, number} a {max, number}. Elige un número intermedio.',
  'refused.not-a-number': 'La opción {option} necesita un número.',
  'refused.not-an-integer': 'La opción {option} necesita un número entero.',
  'refused.format': '{voice} solo puede dar {formats}. Omite la opción format, o elige otra voz.',
  'refused.no-voices':
    'El servicio de voz no ofrece voces en este momento. Quien administra este bot debería mirar su cuenta.',
  'refused.server-not-allowed':
    'Quien administra este bot ha elegido en qué servidores funciona, y este no está entre ellos. Pídele que añada su ID, {id}, a ALLOWED_SERVERS.',
  'servers.leaving':
    'Quien administra este bot ha elegido en qué servidores funciona, y este no está entre ellos, así que el bot se va. Pídele que añada el ID de este servidor, {id}, a ALLOWED_SERVERS, e invítalo después otra vez.',
  'refused.unknown-command': 'Este comando está anticuado. Reinicia Discord para recibir la lista nueva, o mira /help.',
  'refused.stopping': 'El bot se está reiniciando. Inténtalo de nuevo en un minuto.',
  'refused.session-ended':
    'Discord ha cerrado la conexión del bot. Avisa a quien lo administra: su registro dice qué hay que hacer.',

  // Permissions as Discord's own settings name them
  'permission.ViewChannel': 'Ver canal',
  'permission.Connect': 'Conectar',
  'permission.Speak': 'Hablar',
  'permission.MuteMembers': 'Silenciar miembros',

  // Failures of the speech interface, one for each kind
  'speech.invalid-request':
    'El servicio de voz no ha aceptado esta petición. Cambia el texto o la voz e inténtalo de nuevo.',
  'speech.input-too-long': 'El texto es demasiado largo para esta voz. Acórtalo, o repártelo en varios /say.',
  'speech.unsupported-format': 'Esta voz no puede dar ese formato de audio. Elige otra voz.',
  'speech.voice-not-found': 'El servicio de voz ya no conoce esta voz. Elige otra: la lista está ahora al día.',
  'speech.invalid-api-key':
    'El servicio de voz no acepta la clave del bot. Quien administra este bot tiene que poner una VOICE_API_KEY válida en su configuración.',
  'speech.insufficient-credits':
    'No quedan créditos para esto. Quien administra este bot tiene que recargar la cuenta del servicio de voz.',
  'speech.insufficient-credits-url':
    'No quedan créditos para esto. Quien administra este bot puede recargar la cuenta del servicio de voz en {url}',
  'speech.insufficient-credits-local':
    'La voz local ha gastado sus créditos. Quien administra este bot puede darle más; su README dice cómo.',
  'speech.content-policy':
    'El servicio de voz se niega a decir este texto por sus normas de contenido. Dilo de otra manera.',
  'speech.rate-limited':
    'Demasiados textos a la vez. Inténtalo de nuevo en {seconds, plural, =0 {un momento} one {# segundo} other {# segundos}}.',
  'speech.quota-exceeded':
    'Este tipo de voz ha agotado por ahora su cuota con el proveedor. Se volverá a intentar {when}; hasta entonces, elige una voz de otro modelo.',
  'speech.unavailable': 'El servicio de voz no funciona en este momento. Inténtalo de nuevo en unos minutos.',
  'speech.server-error':
    'El servicio de voz ha fallado. Inténtalo de nuevo; si sigue fallando, díselo a quien administra este bot.',
  'speech.bad-response':
    'El servicio de voz ha dado una respuesta sin sentido. Díselo a quien administra este bot: puede que VOICE_API_URL esté mal.',
  'speech.network':
    'No se puede llegar al servicio de voz. Inténtalo de nuevo en un minuto; si no sirve, díselo a quien administra este bot.',
  'speech.timeout': 'El servicio de voz ha tardado demasiado. Inténtalo de nuevo, quizá con un texto más corto.',
  'speech.aborted': 'Esto se detuvo antes de decirse.',
  'speech.not-accepted':
    'El servicio de voz no ha aceptado esta petición. Inténtalo de nuevo; si no sirve, díselo a quien administra este bot.',
  'speech.asked-too-often':
    'Se está preguntando demasiado al servicio de voz. Inténtalo de nuevo en {seconds, plural, =0 {un momento} one {# segundo} other {# segundos}}.',
  'speech.no-answer-in-time': 'El servicio de voz ha tardado demasiado en responder. Inténtalo de nuevo en un minuto.',
  'speech.question-stopped':
    'Esto se detuvo antes de que respondiera el servicio de voz. Inténtalo de nuevo en un minuto.',

  // What is heard in place of what cannot be read out
  'readable.somebody': 'alguien',
  'readable.some-channel': 'un canal',
  'readable.some-role': 'un rol',
  'readable.everyone': 'todos',
  'readable.here': 'todos los que están aquí',
  'readable.command': 'el comando {name}',
  'readable.server-page': 'una página de este servidor',
  'readable.some-date': 'una fecha',
  'readable.link': 'enlace a {host}',
  'readable.some-link': 'un enlace',
  'readable.message-link': 'enlace a un mensaje',
  'readable.masked-link': '{words}, enlace',
  'readable.gif': 'un GIF',
  'readable.code-block': 'bloque de código',
  'readable.spoiler': 'spoiler',
  'readable.quote': 'cita:',
  'readable.reply': 'en respuesta a {name}',
  'readable.emoji': 'emoji',
  'readable.emoji-times': '{emoji}, {count, plural, one {una vez} other {# veces}}',
  'readable.more-emoji': '{count, plural, one {un emoji más} other {# emojis más}}',
  'readable.sticker': 'el sticker {name}',
  'readable.voice-messages': '{count, plural, one {un mensaje de voz} other {# mensajes de voz}}',
  'readable.images': '{count, plural, one {una imagen} other {# imágenes}}',
  'readable.videos': '{count, plural, one {un vídeo} other {# vídeos}}',
  'readable.sounds': '{count, plural, one {un archivo de sonido} other {# archivos de sonido}}',
  'readable.files': '{count, plural, one {un archivo} other {# archivos}}',
  'readable.hidden-files': '{count, plural, one {un adjunto oculto} other {# adjuntos ocultos}}',
  // What is heard of messages that are read, and of people's coming and going
  'reading.says': '{name} dice: {words}',
  'reading.replies': '{name}, {words}',
  'reading.sent': '{name} envía {words}',
  'reading.more': '… y más',
  'reading.joined': 'Llegada de {names}',
  'reading.left': 'Salida de {names}',
  'reading.many-joined': '{count, plural, one {ha llegado una persona} other {han llegado # personas}}',
  'reading.many-left': '{count, plural, one {se ha ido una persona} other {se han ido # personas}}',
  'reading.trouble': '-# No se ha leído un mensaje de {member}. {why}',

  // /opt-out
  'opt-out.description': 'Que no se lea nada tuyo: ni mensajes ni entradas y salidas, en ningún servidor',
  'opt-out.back': 'Que se pueda leer de nuevo',
  'opt-out.done':
    'Desde ahora, nada de lo que escribas se lee por sí solo, y a nadie se le dice que entras o sales, en ningún servidor. Lo que des a /say se sigue diciendo. Para deshacerlo: /opt-out con back.',
  'opt-out.already':
    'Ya lo tienes así: nada de lo que escribes se lee por sí solo. Para deshacerlo: /opt-out con back.',
  'opt-out.taken-back':
    'Lo que escribas se puede leer de nuevo, y tus entradas y salidas se pueden anunciar, donde los administradores de un servidor lo hayan elegido.',
  'opt-out.never':
    'No te habías excluido: lo que escribas se puede leer donde los administradores de un servidor lo hayan elegido.',

  'blocked.bleep': 'piii',

  // Reading a pronunciation dictionary from a file
  'dictionary.in-line': 'Línea {number, number}: {problem}',
  'dictionary.in-entry': 'Entrada {number, number}: {problem}',
  'dictionary.file-too-large': 'Ese archivo es demasiado grande para ser un diccionario.',
  'dictionary.no-entries': 'En ese archivo no hay entradas. Exporta el diccionario para ver cómo es una.',
  'dictionary.broken-json':
    'El JSON de ese archivo está roto cerca de la línea {line, number}. Arréglalo e inténtalo de nuevo.',
  'dictionary.no-tab':
    'Entre lo escrito y lo dicho no hay tabulador. Pon uno, o exporta el diccionario para ver cómo es una línea.',
  'dictionary.columns': 'Después de lo dicho viene “whole” o “part”, luego “case” o nada.',
  'dictionary.from-missing': 'Falta lo escrito.',
  'dictionary.from-too-long': 'Lo escrito tiene {length, number} caracteres, y como mucho puede tener {limit, number}.',
  'dictionary.to-missing': 'Falta lo que se dice en su lugar.',
  'dictionary.to-too-long':
    'Lo que se dice en su lugar tiene {length, number} caracteres, y como mucho puede tener {limit, number}.',
  'dictionary.not-an-entry': 'Esto no es una entrada. Exporta el diccionario para ver cómo es una.',
  'dictionary.twice': '“{from}” ya está, con el número {first, number}.',
  'dictionary.too-many': '{count, number} entradas son demasiadas: un servidor puede tener {limit, number}.',
  'dictionary.more-problems': '… y {count, plural, one {un problema más} other {# problemas más}}.',

  // /dictionary
  'dictionary.description': 'Elegir cómo se pronuncian las palabras en este servidor',
  'dictionary.add.description': 'Añadir una palabra y cómo se dice, o cambiarla',
  'dictionary.remove.description': 'Quitar una palabra del diccionario',
  'dictionary.remove.word': 'Escribe la palabra tal como se escribe y elígela',
  'dictionary.list.description': 'Ver todas las palabras, para cambiarlas o quitarlas',
  'dictionary.test.description': 'Oír un texto con el diccionario; fuera de los canales de voz se muestra',
  'dictionary.test.text': 'El texto que probar',
  'dictionary.import.description': 'Tomar palabras de un archivo, como uno hecho con /dictionary export',
  'dictionary.import.file': 'JSON, o líneas de: escrito, tabulador, dicho',
  'dictionary.import.how': 'Qué pasa con las palabras que ya hay; si no, se quedan',
  'dictionary.import.merge': 'conservarlas y añadir las del archivo',
  'dictionary.import.replace': 'solo quedan las del archivo',
  'dictionary.export.description': 'Recibir todas las palabras en un archivo',
  'dictionary.export.format': 'El tipo de archivo; si no, JSON',
  'dictionary.export.tsv': 'tabla (con tabuladores)',
  'dictionary.form-add': 'Añadir una palabra',
  'dictionary.form-edit': 'Cambiar una palabra',
  'dictionary.form-from': 'Escrito',
  'dictionary.form-to': 'Dicho',
  'dictionary.form-to-hint': 'Si lo dejas vacío, la palabra no se dice',
  'dictionary.form-where': 'Dónde cuenta',
  'dictionary.form-whole': 'Solo como palabra entera',
  'dictionary.form-part': 'También dentro de otras palabras',
  'dictionary.form-case': 'Mayúsculas y minúsculas',
  'dictionary.form-any-case': 'Dan igual',
  'dictionary.form-exact-case': 'Tienen que coincidir',
  'dictionary.entry':
    '“{from}” {to}{part, select, yes {, también dentro de otras palabras} other {}}{exact, select, yes {, solo con estas mayúsculas y minúsculas} other {}}',
  'dictionary.as': 'se dice “{to}”',
  'dictionary.as-nothing': 'no se dice',
  'dictionary.added': 'Ahora: {after}. Antes: tal como se escribe.',
  'dictionary.changed': 'Ahora: {after}. Antes: {before}.',
  'dictionary.unchanged': 'Ya está así: {after}.',
  'dictionary.removed': 'Quitado: {before}. Vuelve a decirse tal como se escribe.',
  'dictionary.no-such': 'El diccionario no tiene “{word}”. Mira /dictionary list.',
  'dictionary.gone':
    'Esa palabra se cambió o se quitó mientras tanto, así que no se ha cambiado nada. Mira /dictionary list.',
  'dictionary.exists': 'Ya hay otra entrada para “{from}”, así que no se ha cambiado nada. Cambia esa.',
  'dictionary.full':
    'El diccionario está lleno: un servidor puede tener {limit, number} palabras. Quita algunas con /dictionary list.',
  'dictionary.title': '## Pronunciación en este servidor',
  'dictionary.count': '{count, plural, one {# palabra} other {# palabras}}',
  'dictionary.empty': 'Todavía no hay palabras. /dictionary add toma la primera.',
  'dictionary.line': '- {entry}',
  'dictionary.option': '{from} → {to}',
  'dictionary.nothing': '(nada)',
  'dictionary.pick-edit': 'Cambiar una palabra …',
  'dictionary.pick-remove': 'Quitar palabras …',
  'dictionary.add-button': 'Añadir una palabra …',
  'dictionary.reads': 'Se lee así: “{text}”',
  'dictionary.reads-hint': '-# Entra en un canal de voz y /dictionary test lo dice allí.',
  'dictionary.imported':
    'Importado: {added, number} añadidas, {changed, number} cambiadas, {removed, number} quitadas. Ahora {after, plural, one {# palabra} other {# palabras}}; antes {before, plural, one {# palabra} other {# palabras}}.',
  'dictionary.imported-before': '-# El archivo adjunto tiene el diccionario tal como estaba antes.',
  'dictionary.import-wrong': 'En ese archivo hay errores, así que no se ha cambiado nada:',
  'dictionary.exported':
    'El diccionario como archivo: {count, plural, one {# palabra} other {# palabras}}. /dictionary import lo recupera.',

  // The moderation log
  'moderation.line':
    '{when} {member}: {kind}, {characters, plural, one {# carácter} other {# caracteres}}{voice}{where}: {outcome}{credits}',
  'moderation.kind.command': 'comando',
  'moderation.kind.message': 'mensaje',
  'moderation.kind.auto-read': 'leído del chat',
  'moderation.kind.file': 'archivo',
  'moderation.kind.voice-message': 'mensaje de voz',
  'moderation.kind.replay': 'dicho otra vez',
  'moderation.outcome.spoken': 'dicho',
  'moderation.outcome.stopped': 'detenido antes del final',
  'moderation.outcome.saved': 'guardado',
  'moderation.outcome.blocked': 'rechazado por una palabra bloqueada',
  'moderation.outcome.failed': 'no dicho hasta el final',
  'moderation.voice': ', {name} ({model})',
  'moderation.where': ', en {channel}',
  'moderation.credits': ', {credits, plural, =0 {sin créditos} one {# crédito} other {# créditos}}',
  'moderation.left-out': '-# … y {count, plural, one {uno más} other {# más}}.',
  'moderation.no-channel':
    'El canal {channel} del registro de moderación ya no existe, o el bot no puede verlo. Elige otro con /settings panel.',
  'moderation.not-allowed':
    'El bot no puede escribir el registro de moderación: le falta “Ver canal” o “Enviar mensajes” en {channel}. Permíteselo, o elige otro canal con /settings panel.',

  // Blocked words
  'blocked.refused': 'Esto no se ha dicho: el servidor bloquea “{rule}”. Dilo con otras palabras.',
  'blocked.tangled':
    'Esto no se ha dicho: demasiados de sus signos podrían ser letras como para buscar en él palabras bloqueadas. Escríbelo con letras normales.',
  'blocked.empty': 'Una palabra bloqueada necesita una letra o un signo además de los asteriscos de sus extremos.',
  'blocked.too-long':
    'Una palabra bloqueada tiene como mucho {limit, number} caracteres, y esa tiene {length, number}. Acórtala.',
  'blocked.too-short':
    'Con un asterisco, una palabra bloqueada necesita al menos {least, number} letras: menos aparecen en casi todos los textos. Quita el asterisco, o añade letras.',

  // Failures of joining and playing
  'join.failed':
    'El bot no pudo entrar en {channel}: Discord no le dejó. Inténtalo de nuevo; si sigue fallando, revisa sus permisos allí.',
  'join.busy':
    'El bot no pudo entrar en {channel}: Crier está entrando en muchos canales en este momento. Inténtalo de nuevo en un minuto.',
  'join.no-answer':
    'El bot no pudo entrar en {channel}: el servidor de voz de Discord no respondió a tiempo. Inténtalo de nuevo en un minuto.',
  'join.no-udp':
    'El bot no pudo entrar en {channel}: no llega nada por UDP. El cortafuegos o la red del equipo de este bot no deja salir UDP; díselo a quien lo administra.',
  'join.given-up':
    'El bot dejó de intentar unirse a {channel}: le pidieron irse o ir a otro lugar. Usa /join para que lo intente otra vez.',
  'join.encryption':
    'El bot no pudo acordar con Discord cómo cifrar la llamada en {channel}. Díselo a quien administra este bot: npm run doctor muestra por qué.',
  'audio.refused':
    'El audio está en una dirección que el bot no puede usar. Quien administra este bot debería mirar su registro y AUDIO_HOSTS.',
  'audio.unreachable': 'El audio se creó, pero no se pudo obtener. Inténtalo de nuevo en un minuto.',
  'audio.unplayable':
    'El audio se creó, pero no se puede reproducir. Prueba otra voz, y díselo a quien administra este bot.',
  'audio.too-large': 'El audio es más largo de lo que el bot reproduce de una vez. Usa un texto más corto.',
  'audio.endless':
    'La voz no paraba: el sonido era mucho más largo que el texto y se cortó. Prueba otra voz u otras palabras.',
  'play.kicked': 'Desconectaron el bot de {channel}, así que esto no se dijo hasta el final.',
  'play.channel-gone': 'El canal de voz se eliminó, así que esto no se dijo hasta el final.',
  'play.connection-lost':
    'Se perdió la conexión con el canal de voz, así que esto no se dijo hasta el final. Inténtalo de nuevo.',
  'play.unheard':
    'Discord no dejó entrar al bot en el cifrado de extremo a extremo de la llamada en {channel}, tampoco al volver a unirse, así que no se oyó nada de esto. Inténtalo de nuevo en un minuto.',
  'play.encryption-lost':
    'El bot perdió el cifrado de extremo a extremo de la llamada en {channel} y no lo recuperó, así que esto no se oyó hasta el final. Inténtalo de nuevo en un minuto.',
  'play.nobody-listening': 'Todos salieron de {channel}, así que esto no se dijo hasta el final.',
  'play.stopped': 'Esto se quitó de la cola antes de decirse.',
  'play.paused-too-long': 'La pausa duró tanto que el bot se ha ido, así que esto no se dijo hasta el final.',
  'play.held-back':
    'Discord no deja que se oiga al bot en {channel}: entró sin permiso para hablar y se ha ido. Si ahora lo tiene, usa /say otra vez: entrará de nuevo.',
  'play.put-into-audience':
    'Alguien de moderación pasó el bot al público de {channel}, así que esto no se dijo hasta el final. Usa /say otra vez y pedirá la palabra.',
  'play.server-left': 'Quitaron el bot del servidor.',

  // After a restart
  'resumed.later': 'El bot se está reiniciando. Esto se dirá cuando vuelva, si aún escucha alguien.',
  'resumed.once-mended':
    'Discord ha cerrado la conexión del bot. Avisa a quien lo administra: su registro dice qué hay que hacer. Esto se dirá si el bot vuelve en diez minutos.',
  'resumed.spoken': 'Dicho en {channel}. Justo después se reinició el bot.',
  'resumed.failed': 'Esto no se dijo hasta el final, y justo después se reinició el bot.',
  'resumed.not-spoken': 'El bot se reinició, así que esto no se dijo hasta el final.',
  'resumed.too-late': 'El bot estuvo fuera demasiado tiempo, así que esto no se dijo hasta el final.',
  'resumed.nobody': 'El bot se reinició. Ya no escucha nadie en {channel}, así que esto no se dijo hasta el final.',
  'resumed.maybe-billed':
    'El bot se reinició mientras se creaba esto. Puede que ya haya costado créditos, así que solo se vuelve a crear si lo pides.',
  'resumed.notice': '{member}: {what}',
  'resumed.messages':
    '-# El bot se reinició: {count, plural, one {no se leyó # mensaje} other {no se leyeron # mensajes}}.',

  // Why the bot left a channel, told where it was last used from
  'left.nobody-listening': 'El bot salió de {channel}: nadie escuchaba. Con /say o /join vuelve.',
  'left.idle': 'El bot salió de {channel}: no se dijo nada durante un rato. Con /say o /join vuelve.',
  'left.paused-too-long': 'El bot salió de {channel}: la pausa duró demasiado. Con /say sigue.',
  'left.kicked': 'El bot salió de {channel}: alguien lo desconectó. Con /say o /join vuelve.',
  'left.channel-gone': 'El bot salió del canal de voz: se eliminó. Entra en otro y usa /say allí.',
  'left.connection-lost': 'El bot salió de {channel}: se perdió la conexión. Con /say o /join vuelve.',
  'left.not-allowed': 'El bot salió de {channel}. {why}',

  // What is kept; /privacy and /forget are made from these
  'kept.own-settings':
    '**Tu voz**: la voz, el estilo, la velocidad y la temperatura que elegiste con /voice, por tu ID de usuario, en la base de datos del bot hasta que los quites.',
  'kept.own-settings.now': 'tus propios ajustes de voz, en {places, plural, one {# lugar} other {# lugares}}',
  'kept.use':
    '**Tu uso**: cuántos créditos has usado y cuántos textos no costaron nada, por día, servidor e ID de usuario, en la base de datos del bot hasta el final del mes siguiente. Con eso se cuentan los límites.',
  'kept.use.now': 'uso contado: {credits, plural, one {# crédito} other {# créditos}} este mes y el anterior',
  'kept.use.today': 'uso contado de hoy: {credits, plural, one {# crédito} other {# créditos}}, hasta las 00:00 UTC',
  'kept.use.before': 'uso contado de días anteriores: {credits, plural, one {# crédito} other {# créditos}}',
  'kept.queue':
    '**Lo que dices**: el texto y su sonido, en memoria, mientras espera y hasta 15 minutos después, para que se pueda decir otra vez o un botón aún funcione. Hasta que se dice, y diez minutos como máximo, el texto está también cifrado en el disco, con el lugar donde lo pediste: así no se pierde si el bot se reinicia.',
  'kept.queue.now':
    'lo que dices: {waiting, plural, one {# texto} other {# textos}} en espera, {spoken, plural, one {# leído} other {# leídos}} hace poco{offered, plural, =0 {} one {, # guardado para un botón} other {, # guardados para botones}}',
  'kept.opt-out':
    '**Tu exclusión**: por tu ID de usuario, que usaste /opt-out y cuándo, en la base de datos del bot hasta que lo deshagas.',
  'kept.opt-out.now': 'que no quieres que se lea nada tuyo',
  'kept.sound':
    '**Sonido**: lo que se dijo, sin su texto y sin quién lo dijo, bajo un código que nadie puede descifrar, hasta que caduca. Así el mismo texto se paga una sola vez.',
  'kept.moderation-log':
    '**Registro de moderación**: solo donde los administradores eligieron un canal para él. Allí consta quién hizo decir un texto y cuándo, de qué tipo y longitud, con qué voz, en qué canal, cómo acabó y por cuántos créditos, hasta que alguien lo borre allí. Nunca el texto.',
  'kept.server-settings':
    '**Ajustes del servidor**: lo que los administradores eligieron con /settings, con los ID de roles, canales y miembros silenciados, hasta que lo restablezcan.',
  'kept.server-settings.now': 'ajustes de este servidor: {count, number}',
  'kept.dictionary':
    '**Diccionario**: cómo se pronuncian las palabras en un servidor, tal como lo escribieron sus administradores, hasta que lo borren.',
  'kept.dictionary.now': 'diccionario de este servidor: {entries, plural, one {# entrada} other {# entradas}}',
  'kept.notices':
    '**Avisos**: por ID de servidor, que el bot se ha presentado o ha avisado de una voz que ya no existe, y cuándo se fue. Todo lo de un servidor desaparece 30 días después de que el bot lo deje.',
  'kept.bot':
    '**Sobre el bot**: dónde están registrados sus comandos, qué créditos quedan, cuánto cuesta un modelo y qué volumen tiene cada voz. Sobre personas, solo qué idioma usan sus propietarios, en memoria.',

  // /privacy
  'privacy.description': 'Qué guarda el bot sobre ti, dónde y por cuánto tiempo',
  'privacy.title':
    '**Lo que guarda este bot.** Nada de lo que dice la gente se guarda, aparte de lo que se nombra aquí.',
  'privacy.entry': '- {holds}',
  'privacy.yours': '  - Ahora: {what}.',
  'privacy.nothing': '  - Ahora: nada.',
  'privacy.unknown': '  - Ahora: no se sabe, porque la memoria del bot no responde.',
  'privacy.log':
    'Quien administra el bot tiene un registro: comandos, horas, ID de servidores y canales, y errores. Nunca lo que se dijo. Para convertirlo en sonido, un texto se envía al servicio de voz.',
  'privacy.forget': '/forget borra lo que se guarda sobre ti.',
  'privacy.forget-server': 'Gestionas este servidor: /forget con server borra lo que se guarda sobre él.',

  // /forget
  'forget.description': 'Borrar lo que el bot guarda sobre ti',
  'forget.server': 'En su lugar, lo que guarda sobre este servidor; para quienes lo gestionan',
  'forget.ask': 'Esto se borraría, en todos los servidores, y no se puede recuperar:',
  'forget.ask-server': 'Esto se borraría para todos en este servidor, y no se puede recuperar:',
  'forget.line': '- {what}',
  'forget.wish': '- solo si también lo dices: {what}',
  'forget.yes': 'Borrar',
  'forget.yes-wishes': 'Borrar, también mis deseos',
  'forget.nothing': 'No se guarda nada sobre ti.',
  'forget.nothing-here': 'No se guarda nada sobre este servidor.',
  'forget.deleted': 'Borrado:',
  'forget.today-asked':
    'El uso de hoy ({credits, plural, one {# crédito} other {# créditos}}) desaparecería cuando acabe el día, a las 00:00 UTC: con él se cuentan los límites de hoy.',
  'forget.today':
    'El uso de hoy ({credits, plural, one {# crédito} other {# créditos}}) desaparece cuando acaba el día, a las 00:00 UTC: con él se cuentan los límites de hoy.',
  'forget.left': 'Esto no se pudo borrar, porque la memoria del bot no responde. Inténtalo de nuevo en un minuto:',

  // The message in a server that is new, and /setup
  'welcome.hello': '**¡Hola! Digo en los canales de voz lo que escribes.**',
  'welcome.members':
    'Entra en un canal de voz y escribe /say con un texto. /help muestra todo lo demás, /privacy lo que se guarda.',
  'welcome.admins': 'Para quienes gestionan este servidor: tres pasos cortos, y cada uno se puede saltar.',
  'welcome.begin': 'Configurar',
  'setup.description': 'Configurar el bot en tres pasos: voz, quién y dónde, límites',
  'setup.voice': '**Paso 1 de 3: la voz.** ¿Quién habla, mientras un miembro no elija otra voz?',
  'setup.voice.now': 'Ahora: {voice}.',
  'setup.voice.more':
    '-# En total hay {count, number} voces: /voices las muestra y las hace sonar, /settings voice acepta cualquiera.',
  'setup.people':
    '**Paso 2 de 3: quién y dónde.** Elige los roles que pueden hacer decir textos, y los canales para ello. Sin elegir nada: todos, en todas partes.',
  'setup.people.roles': 'Solo estos roles',
  'setup.people.channels': 'Solo estos canales',
  'setup.limits':
    '**Paso 3 de 3: límites.** Los créditos se cuentan por día; quien administra el bot también tiene límites.',
  'setup.limits.credits': 'Cambiar los créditos al día',
  'setup.limits.texts': 'Cambiar los textos y la cola',
  'setup.summary': '**Listo.** Esto es lo que has elegido para este servidor:',
  'setup.summary.nothing': '- Nada: todo es como lo tiene el bot.',
  'setup.summary.more':
    'Todo lo demás: /settings panel. Lo que pueden hacer los miembros: /help. Para repetir esto: /setup.',
  'setup.value': '- {setting}: {value}',
  'setup.next': 'Paso siguiente',
  'setup.skip': 'Saltar este paso',
  'setup.back': 'Atrás',
  'setup.finish': 'Terminar',

  // Told once to admins
  'vanished.told':
    'La voz que se había elegido para este servidor, {voice}, ya no existe. Mientras no se elija otra, habla la predeterminada del bot. Para quienes gestionan este servidor: /settings voice elige otra.',

  // /owner, for the bot's operator
  'owner.description': 'Para quien administra el bot',
  'owner.no-server': 'El bot no está en ningún servidor “{server}”. Elige una de las sugerencias.',
  'owner.status.description': 'Cómo está el bot',
  'owner.status.title': '**Crier {version}**, iniciado {since}.',
  'owner.status.draining': 'Se está deteniendo: no se dice nada nuevo.',
  'owner.status.discord':
    '- Discord: {ready, number} de {shards, plural, one {# shard} other {# shards}} en marcha, {servers, plural, one {# servidor} other {# servidores}}, {ping} ms.',
  'owner.status.speakers':
    '- En {joined, plural, one {# canal de voz} other {# canales de voz}}, hablando en {speaking, number}.',
  'owner.status.queues':
    '- {waiting, plural, one {# texto espera} other {# textos esperan}}, como mucho {longest, number} en un servidor.',
  'owner.status.nothing-spoken': '- No se ha dicho nada desde el inicio.',
  'owner.status.first-sound':
    '- Hasta el primer sonido, en ms (la mitad de ellos, 95 %, 99 %; con pocos textos, el más largo):',
  'owner.status.percentiles':
    '  - {kind}: {p50, number}, {p95, number}, {p99, number} ({count, plural, one {# texto} other {# textos}})',
  'owner.status.longest': '  - {kind}: como máximo {longest, number} ({count, plural, one {# texto} other {# textos}})',
  'owner.status.kind.queued': 'tras esperar su turno',
  'owner.status.kind.cold': 'tras unirse',
  'owner.status.kind.joined': 'ya en el canal',
  'owner.status.kind.cached': 'ya dicho antes',
  'owner.status.kind.part': 'partes siguientes de un texto',
  'owner.status.cache':
    '- Dicho antes: {memory, number} de la memoria, {disk, number} del disco, {misses, number} creados; {megabytes, number} MB en memoria.',
  'owner.status.no-circuits': '- Cuotas: ninguna está agotada.',
  'owner.status.circuits': '- Cuotas: agotadas para {models}; ahora no se les pide nada.',
  'owner.status.lost-audio':
    '- **El audio pagado no llega** de {models}: no se paga nada con ellos, salvo una prueba a intervalos cada vez mayores. El registro dice más.',
  'owner.status.check.discord': 'conexión con Discord',
  'owner.status.check.commands': 'comandos',
  'owner.status.check.store': 'memoria',
  'owner.status.check.speech': 'servicio de voz',
  'owner.status.ok': '- {name}: bien',
  'owner.status.trouble': '- **{name}: con problemas** (`{state}`). El registro dice más.',
  'owner.spending.description': 'Créditos por servidor, hoy y este mes',
  'owner.spending.total':
    'Todos los servidores juntos: {today, plural, one {# crédito} other {# créditos}} de {limit, number} hoy, {month, number} este mes. Los límites del día se renuevan {when}.',
  'owner.spending.unknown':
    'De hoy, unos {credits, plural, one {# crédito} other {# créditos}} son de {requests, plural, one {# solicitud} other {# solicitudes}} cuya respuesta se perdió: no se sabe si el servicio cobró por ello.',
  'owner.spending.none': 'Este mes ningún servidor ha usado nada.',
  'owner.spending.line': '{rank, number}. {server} (`{id}`): {today, number} hoy, {month, number} este mes',
  'owner.spending.left': 'un servidor que el bot ha dejado',
  'owner.spending.outside':
    'Mensajes directos, y servidores cuyas cifras se borraron: {today, number} hoy, {month, number} este mes',
  'owner.reload.description': 'Pedir de nuevo sus voces al servicio de voz',
  'owner.reload.done':
    'Hay {voices, plural, one {# voz} other {# voces}} y {models, plural, one {# modelo} other {# modelos}}.',
  'owner.reload.failed': 'El servicio de voz no responde. Se queda la lista de {since}; el registro dice más.',
  'owner.leave.description': 'Hacer que el bot deje un servidor',
  'owner.leave.server': 'Escribe su nombre o su ID y elígelo',
  'owner.leave.ask':
    '¿Dejar {server}, con {members, plural, one {# miembro} other {# miembros}}? Lo que se guarda de él se borra después de 30 días, si no se invita al bot otra vez.',
  'owner.leave.yes': 'Dejarlo',
  'owner.leave.done': 'El bot ha dejado {server}.',
  'owner.message.description': 'Escribir a los administradores de un servidor, o de todos',
  'owner.message.server': 'Escribe su nombre o su ID y elígelo; si no, todos los servidores',
  'owner.message.title': 'Un mensaje a los administradores',
  'owner.message.words': 'Qué decirles',
  'owner.message.to-one': 'A {server}, donde el bot pueda escribir',
  'owner.message.to-all': 'A cada servidor, donde el bot pueda escribir',
  'owner.message.empty': 'No se ha escrito nada, o más de 1500 caracteres. Usa el comando otra vez.',
  'owner.message.ask': 'Esto va a {servers, plural, one {# servidor} other {# servidores}}:',
  'owner.message.shown': '>>> {words}',
  'owner.message.yes': 'Enviar',
  'owner.message.sending': '-# Enviado a {done, number} de {servers, number} …',
  'owner.message.sent': 'Enviado a {sent, plural, one {# servidor} other {# servidores}}.',
  'owner.message.missed':
    'No enviado a {missed, plural, one {# servidor} other {# servidores}}, donde el bot no puede escribir en ningún sitio o Discord lo rechazó: {servers}',
  'owner.message.heading': '**De quien administra este bot, para quienes gestionan este servidor:**\n{words}',

  'store.failed':
    'La memoria del bot no responde, así que no se ha cambiado nada y no se puede mostrar lo que contiene. Inténtalo de nuevo en un minuto; si sigue fallando, díselo a quien administra este bot.',
  'store.unread':
    'La memoria del bot no responde, así que no se sabe cuánto se ha usado. Mientras tanto se rechazan los textos nuevos.',
  'store.last-seen': 'La memoria del bot no responde: esto es lo último que se vio, y ahora no se puede cambiar.',
  'store.failed-text':
    'La memoria del bot no responde, así que no se puede crear voz. Inténtalo de nuevo en un minuto; si sigue fallando, díselo a quien administra este bot.',
  'failed.unexpected':
    'Algo ha fallado dentro del bot. Inténtalo de nuevo; si sigue fallando, dale este código a quien lo administra:',
  'failed.answer-refused':
    'Discord rechazó la respuesta del bot, así que no se puede mostrar. Inténtalo de nuevo; si sigue fallando, díselo a quien administra el bot.',

  // What is added to a failure
  'failed.reference': '`{reference}`',
  'failed.part': 'Dicho hasta la parte {part, number} de {parts, number}, que no se pudo crear.',
  'failed.credits-used': '{used, plural, one {# crédito usado} other {# créditos usados}}.',
  'failed.credits-unknown': 'Puede que se hayan usado créditos.',
  'failed.credits-maybe-more': 'Lo que aún se estaba creando puede costar más.',
  'failed.credits-none': 'No se han usado créditos.',
};
