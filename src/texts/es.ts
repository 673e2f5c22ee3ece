import { SPEED_RANGE, TEMPERATURE_RANGE } from '../speech/interface/models.ts';
import type { Catalog } from './en.ts';

/** Spanish for Spain and Latin America, in the words of Discord's client. Commands and options keep English names. */
export const es: Catalog = {
  'voice.gender.female': 'femenina',
  'voice.gender.male': 'masculina',
  'voice.accent.american': 'estadounidense',
  'voice.accent.australian': 'australiana',
  'voice.accent.british': 'británica',
  'voice.accent.indian': 'india',
  'voice.accent.irish': 'irlandesa',
  'voice.accent.new-york': 'neoyorquina',
  'voice.accent.scottish': 'escocesa',
  'credits.used-and-left':
    '-# {used, plural, one {# crédito usado} other {# créditos usados}}, {left, plural, one {queda # crédito} other {quedan # créditos}}.',
  'spent.used': '-# {used, plural, one {# crédito usado} other {# créditos usados}}.',
  'spent.used-and-own-left':
    '-# {used, plural, one {# crédito usado} other {# créditos usados}}, {left, plural, one {queda # crédito} other {quedan # créditos}} de tus {limit, number} de hoy.',
  'spent.maybe-more': '-# Puede que se hayan gastado más créditos de los que se conocen.',
  'spent.cached': '-# En caché, sin gastar créditos.',
  'counted.credits': '{count, plural, one {# crédito} other {# créditos}}',
  'counted.characters': '{count, plural, one {# carácter} other {# caracteres}}',
  'question.cancel': 'Cancelar',
  'question.canceled': 'Cancelado.',
  'parameter.voice': 'voz',
  'parameter.style': 'estilo',
  'parameter.speed': 'velocidad',
  'parameter.temperature': 'temperatura',
  'parameter.spokenName': 'nombre hablado',
  'parameter.seed': 'semilla',
  'parameter.tags': 'etiquetas',
  'parameter.languageVoices': 'voces por idioma',
  'parameter.language': 'idioma en el que escribes',
  'source.option': 'de tu comando',
  'source.forced': 'obligatoria en este servidor',
  'source.own-here': 'tu ajuste para este servidor',
  'source.own-everywhere': 'tu ajuste para todos los servidores',
  'source.given': 'asignada a ti en este servidor',
  'source.server': 'valor predeterminado del servidor',
  'source.bot': 'valor predeterminado del bot',
  'source.voice': 'valor predeterminado de la voz',
  'source.allowed': 'primera voz permitida en este servidor',
  'source.server-language': 'la voz del servidor para este idioma',
  'source.own-language': 'tu voz para este idioma',

  'say.description': 'Leer un texto en tu canal de voz o recibirlo como archivo de audio o mensaje de voz',
  'say.text': 'Texto que se leerá',
  'say.voice': 'Voz por nombre, idioma, modelo o sonido, p. ej. femenina; por defecto, tu voz habitual',
  'say.language': 'Idioma del texto; si falta, se detecta',
  'say.foreign-language':
    '-# {voice} no habla {language}.{chosen, select, yes { Elige otra voz u omite la opción language.} other {}}',
  'say.in-language': '-# {usual} no habla {language}; lo leyó {voice}.',
  'say.instead-of': '-# {usual} no puede leer este texto; lo leyó {voice}.',
  'say.stood-in': '-# {voice} no está disponible ahora mismo; lo leyó {other}.',
  'say.style': 'Cómo leerlo, por ejemplo: susurrando. Solo algunas voces',
  'style.billed':
    '-# {whose, select, own {El estilo también se cobra: cuenta como} other {Con la mayoría de las voces, el estilo también se cobra: cuenta como su longitud más}} {characters, number} caracteres{whose, select, own { más} other {}} en cada texto, y otra vez en cada parte adicional de un texto largo y en cada cambio de voz, como en un guion.',
  'say.speed': `Velocidad: 1 es normal, ${SPEED_RANGE.min} la más lenta, ${SPEED_RANGE.max} la más rápida. Solo algunas voces`,
  'say.temperature': `Variación: ${TEMPERATURE_RANGE.min} es la más uniforme, ${TEMPERATURE_RANGE.max} la más variada. Solo algunas voces`,
  'say.seed': 'Con el mismo número, el mismo texto vuelve a sonar igual. Solo algunas voces',
  'say.format': 'Formato de audio que se pide al servicio de voz',
  'say.ended':
    '{by, select, nobody {Leído} requester {Detenido antes de terminar,} other {Detenido por <@{by}> antes de terminar,}} en {channel} con la voz {voice}: “{text}”',
  'say.caught-up': '-# Se leyó más rápido porque la cola era larga.',
  'say.default-gone':
    '-# La voz predeterminada de este servidor, {voice}, ya no existe, así que se usó la predeterminada del bot. Los administradores del servidor eligen otra con /settings panel.',
  'say.own-gone': '-# Tu voz, {voice}, ya no existe, así que se usó otra. Elige una nueva con /voice set.',
  'say.ignored': '-# {voice} no tiene en cuenta {parameters}{other, select, none {} other {; {other} sí}}.',
  'say.with-voice': 'Leerlo con {voice}',
  'say.tags-ignored': '-# {voice} no admite etiquetas de voz; /tags muestra si otras voces las admiten.',
  'say.only-tags':
    '{voice} no admite etiquetas de voz y este texto no tiene nada más. Añade palabras; /tags muestra si otras voces las admiten.',
  'say.channel-ignored': '-# Se ignoró la opción channel: solo sirve para leer en un canal de voz.',
  'say.channel': 'Canal de voz en el que leer; por defecto, el tuyo',
  'say.as': 'Adónde va lo leído, o un guion con varias voces; por defecto: el canal de voz',
  'say.as.voice': 'canal de voz',
  'say.as.file': 'archivo de audio',
  'say.as.voice-message': 'mensaje de voz',
  'say.as.script': 'un guion: varias voces',
  'script.form': 'Leer un guion',
  'script.form-lines': 'Líneas con la forma NOMBRE: palabras',
  'script.form-hint': 'NOMBRE es una voz, o un miembro con su voz. Por ejemplo: aria: ¡Hola!',
  'script.no-name':
    'Escribe quién habla antes de cada línea, por ejemplo “aria: ¡Hola!”. No hay ningún nombre antes de “{line}”.',
  'script.no-words': 'No hay nada que decir después de “{name}:”.',
  'script.too-many-lines': 'Un guion puede tener hasta {limit, number} líneas; este tiene {count, number}. Acórtalo.',
  'script.no-options': 'En un guion, el nombre que va delante de cada línea elige la voz. Quita la voz y el idioma.',
  'script.several-members':
    'Varios miembros se llaman “{name}”. Escribe el nombre de usuario del miembro al que te refieres.',
  'script.unknown-names':
    '{count, plural, one {Ninguna voz ni ningún miembro tiene este nombre} other {Ninguna voz ni ningún miembro tiene estos nombres}}: {names}. Usa nombres de /voices, o de miembros tal como se muestran aquí.',
  'say.form': 'Leer un texto largo',
  'say.form-hint': 'Hasta {limit, plural, one {# carácter} other {# caracteres}}, leídos sin interrupción.',
  'say.confirm':
    'Es un texto largo: se {characters, plural, one {cobrará # carácter} other {cobrarán # caracteres}}{style, select, billed { (incluido el estilo)} other {}}{about, plural, =0 {} one {, aproximadamente # crédito} other {, aproximadamente # créditos}}. {as, select, voice {¿Leerlo?} file {¿Crear el archivo?} other {¿Crear el mensaje de voz?}}',
  'say.confirm-yes': '{as, select, voice {Leerlo} file {Crear el archivo} other {Crear el mensaje de voz}}',
  'say.again': 'Intentar de nuevo',
  'say.form-over':
    'Lo que elegiste en el comando, como una voz, se ha perdido: el bot se ha reiniciado desde que abriste este formulario, o estuvo abierto más de 15 minutos. Tu texto no: pulsa “Editar” para que se lea sin esa elección o para copiarlo.',
  'form.again': 'Editar',
  'say.skip': 'Saltar',
  'say.stop': 'Detener',
  'say.replay': 'Leer otra vez',
  'say.save': 'Guardar como archivo',
  'say.waiting':
    '-# En la cola, posición {position, number}{wait, select, unknown {} paused {. La lectura está en pausa; consulta /queue} other {; espera aproximada: {wait}}}.',
  'say.joining': '-# Entrando en {channel}…',
  'say.raising-hand': '-# Solicitando hablar en {channel}: un moderador del escenario tiene que invitar al bot…',
  'say.synthesizing': '-# Generando el audio{parts, plural, =1 {} other {: parte {part, number} de {parts, number}}}…',
  'say.ending': '-# Terminado antes de tiempo. Averiguando cuánto ha costado…',
  'say.busy': '-# El servicio de voz está saturado. Reintentando desde hace {seconds, number} s…',
  'say.speaking':
    '-# Leyendo {parts, plural, =1 {} other {la parte {part, number} de {parts, number} }}en {channel} con la voz {voice}: “{text}”',
  'say.paused': '-# En pausa en {channel}. Usa /resume para continuar.',
  'say.billed':
    '-# Se {characters, plural, one {cobra # carácter} other {cobran # caracteres}}, en {parts, number} partes.',
  'say.file': 'Con la voz {voice}: “{text}”',
  'say.not-covered':
    'No hay créditos suficientes: costaría unos {about, number}, más de los que hay en la cuenta, así que no se ha creado nada. Prueba con un texto más corto, o pide al dueño del bot que añada créditos.',
  'say.voice-message': 'Enviado con la voz {voice}: “{text}”',
  'say.voice-message-refused':
    '-# Discord no permite que el bot envíe mensajes de voz aquí, así que esto es un archivo. En un servidor, el bot necesita el permiso “Enviar mensajes de voz”.',
  'say.no-voice-here':
    'Aquí no hay ningún canal de voz. Elige “archivo de audio” o “mensaje de voz” en la opción as de /say.',
  'say.too-long':
    'Demasiado largo: ese texto tiene {length, number} caracteres{counted, select, spoken { al leerse} other {}} y este servidor permite {limit, number}. Acórtalo.',
  'say.empty': 'En ese texto no hay nada que leer: necesita una letra, una cifra o un emoji.',
  'say.silenced':
    'El diccionario de este servidor omite todo ese texto. Usa otras palabras, o pide a un administrador del servidor que lo cambie con /dictionary list.',
  'speak-message.name': 'Leer en voz alta',

  'speak-message.description': 'Leer este mensaje en tu canal de voz, con tu voz',
  'save-speech.name': 'Guardar como audio',
  'save-speech.description': 'Guardar este mensaje como archivo de audio, con tu voz',
  'speak-message.opted-out': 'Quien escribió ese mensaje no quiere que se lea en voz alta.',
  'speak-message.bots-own':
    'Ese mensaje es del propio bot. Para oír otra vez el texto, usa “Leer otra vez” debajo o /replay; “Guardar como archivo” te da el audio.',
  'save.saved': 'Guardado: “{text}”',

  'voices.description': 'Ver las voces disponibles',
  'voices.search': 'Solo voces que coinciden con un nombre, idioma, modelo o sonido, p. ej. femenina',
  'voices.title': '{count, plural, one {# voz} other {# voces}} para elegir:',
  'voices.found': '{count, plural, one {# voz coincide} other {# voces coinciden}} con “{search}”:',
  'voices.line': '- **{name}** ({model}), {language}{options, select, none {} other {; admite {options}}}',
  'voices.any-language': 'multilingüe',
  'voices.languages': '{count, plural, one {# idioma} other {# idiomas}}',
  'voices.choose': 'Elige una voz para probarla o usarla',
  'voices.hint': '-# Elige una abajo para probarla o usarla, o escribe su nombre en la opción voice de /say.',
  'voices.none':
    'Ninguna voz coincide con “{search}”. Prueba una búsqueda más corta, o usa /voices sin opciones para ver la lista completa.',
  'voices.gone': 'Esa voz ya no existe. Consulta la lista actual en /voices.',
  'voices.card': '**{name}**\nModelo: {model}\n{languages}\nFormatos: {formats}\nOpciones: {options}',
  'voices.card-with-sound': '**{name}** · {sound}\n{languages}\nOpciones: {options}',
  'voices.card.speaks': 'Habla {count, plural, one {# idioma} other {# idiomas}}',
  'voices.card.language': 'Idioma: {language}',
  'voices.card.more-options': 'quizá otras',
  'voices.card.options-unknown': 'sin especificar',
  'voices.preview': 'Escuchar',
  'voices.preview-about': 'Escuchar ({about, plural, one {aproximadamente # crédito} other {unos # créditos}})',
  'voices.preview-billed': 'Escuchar (se {characters, plural, one {cobra # carácter} other {cobran # caracteres}})',
  'voices.use-mine': 'Usar como mi voz',
  'voices.mine':
    '{where, select, here {Tu voz en este servidor} other {Tu voz en todos los servidores}} es ahora {voice}{before, select, none {} other { (antes {before})}}.',
  'voices.use-as-mine': 'Usar {voice} como mi voz',
  'voices.use-default': 'Usar como voz predeterminada del servidor',
  'voices.sample': '¡Hola! Así sueno yo. Espero que te guste mi voz.',
  'voices.listen': 'Escuchar estas seguidas',
  'voices.named-sample': 'Hola, soy {name}.',
  'voices.previewed': 'Esa era {voice}.',
  'voices.stale': '-# El servicio de voz no responde. Esta lista es de {since}.',

  'tags.description': 'Ver las etiquetas que admite una voz',
  'tags.voice': 'Voz; por defecto, tu voz habitual',
  'tags.none':
    '{voice} no admite etiquetas: {tags, select, left {/say omite las habituales y las demás se leen} other {todas las palabras entre corchetes se leen y cuentan como caracteres}}. {models, select, none {Usa en su lugar la opción style de /say si la voz la admite.} other {Las voces de {models} sí las admiten: elige una en /voices.}}',
  'tags.square':
    '{voice} admite etiquetas entre corchetes, con tus propias palabras, en el punto donde deben surtir efecto: `[whispering]`, `[cheerful]`, `[pause]`.',
  'tags.angle':
    '{voice} admite etiquetas cortas entre corchetes angulares, con tus propias palabras, en el punto donde deben oírse: `<sigh>`, `<short pause>`. Para cambiar cómo suena todo el texto, usa la opción style de /say.',
  'tags.closed': '{voice} admite estas etiquetas.',
  'tags.instant': 'En un punto: {tags}',
  'tags.wrapping': 'Alrededor de palabras: {tags}',
  'tags.hint':
    '-# Escríbelas en el texto de /say. Cuentan como caracteres, y una etiqueta mal escrita se lee en voz alta.',

  'voice.description': 'Elegir tu voz y cómo suena',
  'voice.set.description': 'Guardar voz, estilo, velocidad o temperatura para todo lo que digas',
  'voice.set.voice': 'Escribe un nombre, idioma, modelo o sonido (p. ej. femenina) y elige la voz',
  'voice.name.description': 'Elegir cómo dice el bot tu nombre',
  'voice.name.name': 'Tu nombre tal como suena, por ejemplo: Shivon',
  'voice.name.kept':
    '{where, select, here {Guardado para este servidor: el} other {Guardado para todos los servidores: el}} bot dice tu nombre como “{name}”.',
  'voice.name.unspeakable': 'En “{name}” no hay nada que decir. Usa letras o números.',
  'voice.name.blocked':
    'El bot no puede decir tu nombre como “{name}”: el servidor bloquea una palabra que contiene. Elige otro nombre.',
  'voice.show.name':
    '- nombre, tal como se dice: {name} ({source}{use, select, blocked {; no se usa aquí, porque este servidor bloquea una palabra del nombre} other {}})',
  'voice.show.description': 'Ver tus ajustes de voz y de dónde viene cada uno',
  'voice.reset.description': 'Restablecer tus ajustes de voz guardados',
  'voice.reset.what': 'Qué ajuste restablecer; por defecto, todos',
  'voice.where': 'Dónde se aplica; por defecto, en este servidor',
  'voice.where.here': 'este servidor',
  'voice.where.everywhere': 'todos los servidores',
  'voice.style-billed': '{style}, que se cobra como {characters, number} caracteres con cada texto',
  'setting.unset.none': 'sin definir',
  'voice.set.kept': '{where, select, here {Guardado para este servidor:} other {Guardado para todos los servidores:}}',
  'voice.set.changed': '- {parameter}: {after} (antes {before})',
  'voice.set.unchanged': '- {parameter}: {after}, sin cambios.',
  'voice.set.nothing': 'Indica qué guardar: una voz, un idioma, un estilo, una velocidad o una temperatura.',
  'voice.set.shadowed':
    '-# Aquí tienen prioridad tus ajustes para este servidor: {parameters}. Usa /voice reset para quitarlos.',
  'voice.set.overruled': '-# En este servidor se sigue usando {voice}: {source}.',
  'voice.show.title': 'Tus ajustes de voz {where, select, here {en este servidor} other {para todos los servidores}}:',
  'voice.show.gone': '-# La voz elegida, {voice}, ya no existe ({source}).',
  'voice.show.hint':
    '-# Cámbialos con /voice set{own, select, yes {, restablécelos con /voice reset} other {}}. Las opciones de /say tienen prioridad.',
  'voice.set.language': 'Con una voz: solo para este idioma. Sin ella: el idioma en el que sueles escribir',
  'voice.reset.done':
    '{where, select, here {Restablecido para este servidor:} other {Restablecido para todos los servidores:}}',
  'voice.reset.value': '- {parameter}: antes {before}, ahora {value} ({source})',
  'voice.reset.nothing':
    '{where, select, here {No tienes nada que restablecer para este servidor.} other {No tienes nada que restablecer para todos los servidores.}}{elsewhere, select, here { Lo que guardaste para este servidor se mantiene: para restablecerlo, omite la opción where.} everywhere { Lo que guardaste para todos los servidores se mantiene: para restablecerlo, elígelo en la opción where.} other {}}',

  'credits.description': 'Ver lo que has usado y lo que queda',
  'credits.left': '{left, plural, one {Queda # crédito} other {Quedan # créditos}}.',
  'credits.own-count':
    '-# Son créditos que cuenta el propio bot: aquí no se sabe qué cobra el proveedor de sus voces ni qué saldo queda allí.',
  'credits.updated': 'Última actualización: {when}.',
  'credits.used':
    '- {who, select, here {Tú, en este servidor} everywhere {Tú, en todos los servidores} server {Este servidor} other {Todos los servidores}}: hoy, {today} de {limit, number}; este mes, {month, number}.',
  'credits.cached':
    '-# {who, select, everywhere {Tú, en todos los servidores} other {Este servidor}}: este mes, {month, plural, one {# texto estaba en caché y no costó nada} other {# textos estaban en caché y no costaron nada}}.',
  'credits.renews': 'Los límites diarios se restablecen {when}, a las 00:00 UTC.',

  'account.low': '{left} {remedy} Hoy no recibirás otra vez este mensaje.',
  'account.left': '{left, plural, =0 {No quedan créditos} one {Solo queda # crédito} other {Solo quedan # créditos}}.',
  'account.ran-out': 'El servicio de voz rechazó un texto por falta de créditos.',
  'account.allowance':
    '{left, plural, =0 {La voz integrada ha agotado su cupo.} one {A la voz integrada le queda # carácter.} other {A la voz integrada le quedan # caracteres.}}',
  'account.remedy': 'Recarga la cuenta del servicio de voz.',
  'account.remedy-url': 'Recarga aquí: {url}',
  'account.remedy-local':
    'Añade más con `{command}`; consulta “Topping up” en docs/reference/speech-service.md. Si cambiaste DATA_DIR, añade `--data DATA_DIR/speech`.',
  'account.lost-sounds':
    '{lost, plural, one {El último texto} other {Los últimos # textos}} con el modelo {model} {lost, plural, one {se pagó, pero no se pudo} other {se pagaron, pero no se pudieron}} reproducir. {why, select, refused {El audio está en direcciones de las que el bot no puede descargar nada: revisa AUDIO_HOSTS.} unreachable {El audio no se pudo descargar.} unplayable {El audio está dañado, en un formato que no se puede reproducir o sin las palabras del texto.} endless {El audio era mucho más largo que el texto.} other {El audio es más largo de lo que el bot puede reproducir de una vez.}} El error está en el registro. El bot ha dejado de pagar por este modelo, salvo pruebas cada vez más espaciadas. Recibirás otro mensaje cuando vuelva a funcionar.',
  'account.lost-answers':
    '{lost, plural, one {El último texto} other {Los últimos # textos}} con el modelo {model} no {lost, plural, one {recibió} other {recibieron}} audio y puede que se {lost, plural, one {haya} other {hayan}} cobrado: el servicio de voz, o el servidor que hay detrás, no respondió, o no con audio. El error está en el registro. El bot ha dejado de pagar por este modelo, salvo pruebas cada vez más espaciadas. Recibirás otro mensaje cuando vuelva a funcionar.',
  'account.absurd-bill':
    'Lo que el servicio de voz cobró por un texto (modelo {model}) no puede ser correcto: supera en más de 1000 veces el precio más alto conocido. El bot no lo tiene en cuenta: cuenta lo que esperaba, y el importe está en el registro. Revisa la cuenta del servicio: si de verdad se cobró, los límites del bot no lo incluyen. Hoy no recibirás otra vez este mensaje.',
  'account.sounds-arrive':
    'El audio del modelo {model} se puede reproducir otra vez. Los textos nuevos se leen como siempre.',

  'settings.description': 'Cambiar los ajustes del bot en este servidor',
  'settings.panel.description': 'Abrir un panel con todos los ajustes de este servidor',
  'settings.read.description': 'Leer los mensajes de un canal o dejar de leerlos',
  'settings.read.channel': 'Canal de texto, foro o canal de voz (su chat)',
  'settings.read.on': 'Activar o desactivar la lectura (predeterminado: activada)',
  'settings.mute.description': 'Silenciar a un miembro en el bot o dejar de silenciarlo',
  'settings.mute.member': 'El miembro',
  'settings.mute.on': 'Silenciar o dejar de silenciar (predeterminado: silenciar)',
  'settings.mute.itself': 'Ese es el propio bot. Elige a un miembro, o usa /leave para que el bot se vaya.',
  'settings.mute.undo': '/settings mute member:{member} on:False lo deshace.',
  'settings.managers-exempt': 'Los administradores del servidor pueden seguir usando /say.',
  'settings.changed': '{setting}: ahora {after} (antes {before}).',
  'settings.unchanged': 'No ha cambiado nada.',
  'settings.title': '## Ajustes del servidor',
  'settings.page.voices': 'Voces',
  'settings.page.people': 'Permisos',
  'settings.page.limits': 'Límites',
  'settings.page.reading': 'Lectura de mensajes y avisos',
  'settings.page.presence': 'Presencia e idioma',
  'settings.page.words': 'Palabras bloqueadas',
  'settings.page.data': 'Exportar, importar, restablecer',
  'settings.change': 'Cambiar',
  'settings.turn-on': 'Activar',
  'settings.turn-off': 'Desactivar',
  'settings.choose-texts': 'Textos y cola',
  'settings.choose-credits': 'Límites al día',
  'settings.choose-times': 'Cuándo irse',
  'settings.voice-hint': 'Un nombre de /voices; vacío: ninguna',
  'settings.forced-note': '-# La voz única solo la reemplaza una voz elegida en /say, si se permite.',
  'settings.words-hint':
    'Una por línea o con comas. Palabras enteras, sin mirar tildes; con * también más largas: plátano*',
  'settings.exceptions-hint':
    'Se leen de todos modos, escritas así: papá aunque se bloquee “papa”, Moby Dick aunque “dick”',
  'settings.credits-hint': 'Hasta el límite del dueño del bot; vacío: ese límite',
  'settings.range':
    'De {min, number} a {max, number}{unit, select, seconds { segundos} other {}}; vacío: predeterminado',
  'settings.bad-number':
    '{setting}: escribe {whole, select, yes {un número entero} seconds {un número entero de segundos} other {un número}} de {min, number} a {max, number}.',
  'settings.too-many': '{setting}: el máximo es {limit, number}.',
  'settings.reading-off':
    '⚠️ El bot todavía no puede leer mensajes: READ_MESSAGES está desactivado. Pide al dueño del bot que lo active.',
  'settings.reading-unseen': '-# El bot no ve {channels}, así que allí no se lee nada. Dale el permiso “Ver canal”.',
  'settings.blocked-hint':
    '-# Si se rechaza un texto, se avisa a quien lo envió. Un mensaje que se iba a leer se omite entonces sin aviso; solo consta en el registro de moderación.',
  'settings.bleep-hint':
    '-# En lugar de una palabra bloqueada se dice “piii”, en el idioma del servidor. Un guion se sigue rechazando si una expresión bloqueada de varias palabras pasa de una de sus líneas a la siguiente.',
  'settings.moderation-hint':
    '-# El registro de moderación muestra quién hizo leer un texto y cuándo, su longitud y voz, y qué pasó con él, nunca el texto. Los textos rechazados por una palabra bloqueada aparecen; los intentos de quienes no pueden usar el bot, no.',
  'settings.auto-join-obstacle': '⚠️ El bot todavía no puede entrar por sí solo. {why}',
  'settings.auto-join-gone': '⚠️ El canal en el que el bot debía entrar por sí solo ya no existe. Elige otro.',
  'settings.dictionary-hint': '-# La pronunciación de las palabras se ajusta con /dictionary.',
  'settings.data':
    'Exportar te da un archivo con todos los ajustes de este servidor. Importar los sustituye por los de un archivo y Restablecer los deja todos en sus valores predeterminados; ambos te dan un archivo con los anteriores.',
  'settings.export': 'Exportar',
  'settings.exported':
    'Todos los ajustes de este servidor, salvo el diccionario (/dictionary export). Usa Importar para recuperarlos.',
  'settings.import': 'Importar',
  'settings.import-file': 'Archivo',
  'settings.import-hint': 'Un archivo de Exportar; sustituye todos los ajustes',
  'settings.import-elsewhere':
    '⚠️ Se omitieron canales y roles que no existen en este servidor, en: {settings}. Una restricción que se queda sin ninguno no se aplica.',
  'settings.import-wrong':
    '{where, select, nowhere {Ese archivo no es una exportación de ajustes} other {Ese archivo tiene un error en “{where}”}}, así que no se ha cambiado nada. Elige un archivo de Exportar.',
  'settings.reset': 'Restablecer',
  'settings.reset-sure': '¿Restablecer todos los ajustes de este servidor? Recibirás un archivo con los anteriores.',
  'settings.reset-yes': 'Restablecer todo',
  'settings.was-reset':
    'Se han restablecido todos los ajustes. {file, select, yes {Este archivo contiene los anteriores: usa Importar para recuperarlos.} other {No hay archivo con los anteriores, porque no se podían leer.}}',
  'settings.unreadable':
    'No se pueden leer los ajustes de este servidor: aquí no se lee nada en voz alta ni se puede cambiar ninguno. En la página “{page}” de /settings panel, importa un archivo con ajustes o restablécelos.',
  'upload.none': 'No se ha subido ningún archivo. Elige uno y envía el formulario otra vez.',
  'upload.too-large': 'Ese archivo es demasiado grande: el máximo es {kilobytes, number} kB. No se ha cambiado nada.',
  'upload.not-text':
    'Ese archivo no es de texto en UTF-8, así que no se ha cambiado nada. Guárdalo como UTF-8 (en Excel: “CSV UTF-8”) e impórtalo de nuevo.',
  'upload.unreachable':
    'No se pudo descargar el archivo de Discord, así que no se ha cambiado nada. Inténtalo de nuevo.',

  'setting.defaultVoice': 'Voz predeterminada',
  'setting.giveOwnVoices': 'Dar una voz propia a quien no tiene',
  'setting.forcedVoice': 'Voz única obligatoria',
  'setting.allowedModels': 'Modelos permitidos',
  'setting.languageVoices': 'Voces por idioma',
  'setting.allowedRoles': 'Roles permitidos',
  'setting.blockedRoles': 'Roles bloqueados',
  'setting.mutedMembers': 'Miembros silenciados',
  'setting.allowedChannels': 'Canales permitidos',
  'setting.maxCharacters': 'Longitud máxima del texto, en caracteres',
  'setting.confirmAboveCharacters': 'Pedir confirmación si supera (caracteres)',
  'setting.queueLimit': 'Máximo de textos en espera',
  'setting.catchUp': 'Leer más rápido cuando la cola es larga',
  'setting.cooldownSeconds': 'Pausa entre dos textos',
  'setting.textsInTenSeconds': 'Textos por miembro en 10 segundos',
  'setting.creditsPerServer': 'Créditos al día, servidor',
  'setting.creditsPerMember': 'Créditos al día, por miembro',
  'setting.creditsPerServer.free': 'Caracteres al día, servidor',
  'setting.creditsPerMember.free': 'Caracteres al día, por miembro',
  'setting.autoReadChannels': 'Canales que se leen',
  'setting.autoReadVoiceChat': 'Leer el chat del canal de voz',
  'setting.autoReadVoiceChat.never': 'nunca',
  'setting.autoReadVoiceChat.joined': 'después de /join',
  'setting.autoReadVoiceChat.always': 'siempre',
  'setting.autoReadOnlyInVoice': 'Leer solo a quienes están en el canal de voz',
  'setting.autoReadNames': 'Decir quién escribe',
  'setting.autoReadNames.always': 'siempre',
  'setting.autoReadNames.on-change': 'cuando escribe otra persona',
  'setting.autoReadNames.never': 'nunca',
  'setting.autoReadBots': 'Leer bots y webhooks',
  'setting.announceMembers': 'Anunciar quién entra y quién sale',
  'setting.aloneSeconds': 'Salir si está solo, tras',
  'setting.idleSeconds': 'Salir si hay silencio, tras',
  'setting.autoJoinChannel': 'Entrar por sí solo cuando entre un miembro',
  'setting.hushed': 'Salir sin avisar',
  'setting.language': 'Idioma de los avisos y emojis',
  'setting.blockedWords': 'Palabras bloqueadas',
  'setting.blockedWordsExceptions': 'Excepciones a las palabras bloqueadas',
  'setting.blockedWordsMode': 'Qué hacer con las palabras bloqueadas',
  'setting.blockedWordsMode.refuse': 'rechazar el texto',
  'setting.blockedWordsMode.bleep': 'sustituirlas por “piii”',
  'setting.moderationChannel': 'Registro de moderación',
  'setting.on': 'sí',
  'setting.off': 'no',
  'setting.at-once': 'al momento',
  'words.count': '{count, plural, one {# palabra} other {# palabras}}',
  'list.more': '{count, number} más',
  'setting.no-limit': 'sin límite',
  'setting.owners-limit': '{limit, number} (el límite del dueño del bot)',
  'setting.above-owners-limit': '{value, number} (pero el límite del dueño del bot es {limit, number})',
  'setting.unset.all': 'sin restricción',
  'setting.unset.server': 'el idioma del servidor en Discord',
  'setting.unset.default': 'por defecto',
  'setting.default-of': 'por defecto ({value})',
  'setting.not-allowed': '{voice}, que no está permitida y por eso no se usa',

  'settings.before': 'Este archivo contiene los ajustes anteriores al cambio: usa Importar para recuperarlos.',
  'settings.bad-language-line': '“{line}” no es un idioma con una voz. Escribe una por línea, p. ej. “de: aria”.',
  'settings.language-voices-hint': 'Una por línea: idioma y voz, p. ej. “de: aria”; vacío para ninguna',

  'stop.description': 'Detener tus textos; como moderador, los de todos',
  'stop.stopped':
    '{waiting, plural, =0 {Detenido.} one {Detenido; se ha quitado # texto de la cola.} other {Detenido; se han quitado # textos de la cola.}}',
  'stop.own': '{count, plural, one {Se ha quitado tu texto.} other {Se han quitado tus # textos.}}',
  'stop.nothing': 'Ahora mismo no se está leyendo nada.',
  'stop.not-yours':
    'No tienes ningún texto que detener. Lo que se lee para {member} solo puede detenerlo esa persona o un moderador.',
  'skip.description': 'Saltar el texto actual o uno de la cola',
  'skip.position': 'Su posición en /queue; por defecto, el texto actual',
  'skip.removed-of-other': 'Se ha quitado de la cola un texto de {member}.',
  'skip.skipped-of-other': 'Se ha saltado un texto de {member}.',
  'skip.gone': 'No hay ningún texto así en la cola. Elige uno de la lista o indica su posición en /queue.',
  'skip.not-yours': 'Ese texto es de {member}. Solo esa persona o un moderador puede hacerlo.',
  'pause.description': 'Pausar la lectura; /resume la continúa',
  'pause.paused': 'En pausa. Usa /resume para continuar.',
  'pause.already': 'Ya está en pausa. Usa /resume para continuar.',
  'resume.description': 'Reanudar después de /pause',
  'resume.resumed': 'Reanudado.',
  'resume.nothing': 'No hay nada en pausa.',
  'queue.description': 'Ver el texto actual y la cola',
  'queue.empty': 'La cola está vacía. Usa /say para que se lea algo.',
  'queue.now': 'Ahora: {member}: {words}',
  'queue.paused': 'En pausa: {member}: {words}',
  'queue.nothing-waits': 'No hay más textos en la cola.',
  'queue.waiting': '{position, number}. {member}: {words}{wait, select, unknown {} other { (en {wait} aprox.)}}',
  'queue.unseen': 'en un canal de voz al que no puedes entrar',
  'page.of': '-# Página {page, number} de {pages, number}',
  'page.previous': 'Página anterior',
  'page.next': 'Página siguiente',
  'page.refresh': 'Actualizar',
  'replay.description': 'Leer otra vez el último texto',
  'replay.speaking': '-# Leyendo otra vez en {channel}: “{text}”',
  'replay.ended':
    '{by, select, nobody {Leído otra vez} requester {Detenido antes de terminar,} other {Detenido por <@{by}> antes de terminar,}} en {channel}: “{text}”',
  'join.description': 'Traer al bot a un canal de voz',
  'join.channel': 'Canal al que se une; por defecto, el tuyo',
  'join.joined': 'Conectado a {channel}.',
  'join.reads-no-longer': 'El chat de {channel} ya no se lee en voz alta. /join lo activa de nuevo.',
  'join.always-read':
    'Los ajustes del servidor hacen que se lea el chat de {channel}. Con /opt-out excluyes tus mensajes, en este y en todos los demás servidores.',
  'join.stop-reading': 'No leer el chat',
  'join.reads-chat': '-# Mientras el bot esté ahí, se leen en voz alta los mensajes del chat de {channel}.',
  'join.already': 'El bot ya está en {channel}.',
  'leave.description': 'Salir del canal de voz y vaciar la cola',
  'leave.left': 'Desconectado de {channel}.',
  'leave.not-yours':
    '{member} todavía tiene textos en espera ahí. Inténtalo de nuevo cuando se hayan leído, o pide a un moderador que saque al bot de inmediato.',
  'leave.absent': 'El bot no está en ningún canal de voz de este servidor.',
  'about.description': 'Ver información sobre el bot y su voz',
  'about.crier': 'Crier {version}, un bot de texto a voz para canales de voz.',
  'about.voice-free': 'La voz es gratuita.',
  'about.voice-service': 'La voz viene de un servicio de voz; /credits muestra lo usado y lo que queda.',
  'about.ping': 'Latencia con Discord: {ping, number} ms.',
  'about.hint': '-# /help muestra todos los comandos, /privacy los datos que se guardan.',

  'help.description': 'Ver lo que puede hacer el bot',
  'help.command-option': 'Comando que se explica, con sus opciones',
  'help.title-direct': 'Escribe /say: el bot responde con un mensaje de voz o un archivo de audio.',
  'help.title': 'Entra en un canal de voz y escribe /say: el bot se une y lee el texto.',
  'help.message-command': '**{name}** (en el menú Aplicaciones de un mensaje): {description}',
  'help.managers': '**Para administradores del servidor**',
  'help.more': '-# Usa /help con un comando para ver sus opciones.',
  'help.unknown': 'No existe ningún comando “{name}”. Usa /help sin opciones para ver la lista.',
  'help.for-managers':
    '-# Para los administradores del servidor y las personas a las que hayan dado acceso al comando.',
  'help.option': '- {name}{required, select, yes {} other { (opcional)}}: {description}',

  'refused.not-in-voice': 'No estás en ningún canal de voz. Entra en uno e inténtalo de nuevo.',
  'refused.server-only': 'Esto solo funciona en un servidor, no en mensajes directos.',
  'refused.direct-off':
    'El dueño del bot no lo ha activado para mensajes directos ni otros servidores. Úsalo en un servidor en el que esté.',
  'refused.not-permitted': 'Solo pueden hacerlo los administradores del servidor.',
  'refused.not-given':
    'Solo pueden hacerlo los administradores del servidor y las personas a las que hayan dado acceso al comando. Si es tu caso, usa /{command}.',
  'refused.you-lack': 'No puedes enviar al bot a {channel}, allí te falta: {permissions}.',
  'refused.over': 'Ya no está disponible. Usa el comando otra vez.',
  'refused.pressed-already': 'Ya has respondido a esto.',
  'refused.member-muted': 'Un administrador del servidor te ha silenciado para este bot.',
  'refused.blocked-role': 'Los miembros con {role} no pueden usar el bot en este servidor.',
  'refused.role-needed': 'Para usar el bot en este servidor necesitas uno de estos roles: {roles}.',
  'refused.channel-needed': 'En este servidor el bot solo se puede usar en {channels}.',
  'refused.not-spoken-there': 'En este servidor el bot no lee en {channel}, solo en {channels}.',
  'refused.server-cooldown':
    'En este servidor hay que esperar entre un texto y el siguiente. Inténtalo de nuevo en {seconds, plural, one {# segundo} other {# segundos}}.',
  'refused.too-many-texts':
    'Más despacio: el límite es de {count, plural, one {# texto} other {# textos}} cada 10 segundos. Inténtalo de nuevo en {seconds, plural, one {# segundo} other {# segundos}}.',
  'refused.voice-not-allowed': '{voice} no está permitida en este servidor. Consulta las voces permitidas en /voices.',
  'refused.cooldown': 'Demasiado rápido. Inténtalo de nuevo en {seconds, plural, one {# segundo} other {# segundos}}.',
  'refused.missing-permissions':
    'El bot no puede hablar en {channel}, le falta: {permissions}. Pide a un administrador del servidor que se lo permita en ese canal.',
  'refused.channel-full':
    '{channel} está lleno ({limit, plural, one {# persona} other {# personas}}). Inténtalo de nuevo cuando haya sitio o se suba su límite de usuarios.',
  'refused.stage':
    'El bot no puede hablar en el escenario {channel}: le faltan “Silenciar miembros” y “Solicitar hablar”. Pide uno de ellos a un administrador del servidor, o usa un canal de voz.',
  'stage.not-invited':
    'El bot ha solicitado hablar en {channel}, pero nadie lo ha invitado. Inténtalo de nuevo y pide a un moderador del escenario que lo invite en menos de un minuto.',
  'refused.busy-elsewhere': 'El bot está ahora en {channel} con otras personas. Únete a ellas, o espera a que salga.',
  'refused.nobody-there': 'En {channel} no hay nadie que lo oiga. Entra tú, o elige un canal en el que haya alguien.',
  'refused.other-channel': 'El bot está en {channel}. Entra allí e inténtalo de nuevo.',
  'refused.queue-full':
    'La cola está llena ({limit, plural, one {# texto} other {# textos}}). Inténtalo de nuevo cuando haya sitio.',
  'refused.own-queue-full':
    'El límite es de {limit, plural, one {# texto} other {# textos}} en espera por persona. Inténtalo de nuevo cuando haya sitio.',
  'refused.duplicate': 'Ese texto ya está en la cola. Puedes enviarlo otra vez cuando se haya leído.',
  'refused.afk':
    '{channel} es el canal AFK de este servidor, donde no se oye a nadie. Entra en otro canal de voz e inténtalo de nuevo.',
  'refused.by-rules': 'Las reglas de este servidor no permiten leer esto.',
  'refused.muted':
    'Un moderador silenció al bot en este servidor, así que nadie puede oírlo. Pide a un moderador que le quite el silencio: clic derecho en el bot, Silenciar en el servidor.',
  'refused.timed-out':
    'El bot está aislado temporalmente en este servidor hasta {until}. Pide a un moderador que quite el aislamiento, o inténtalo de nuevo después.',
  'replay.gone':
    'Ya no está disponible: solo se guardan los últimos textos, durante 15 minutos como máximo, y /forget o un reinicio del bot los elimina al momento. Usa /say otra vez con el texto.',
  'replay.nothing':
    'No hay nada que leer otra vez: solo se guardan los últimos textos, durante 15 minutos como máximo, y uno detenido solo si ya se había generado entero; /forget o un reinicio del bot los elimina al momento. Usa /say para leer un texto.',
  'replay.unseen': 'Esto se leyó en un canal de voz al que no puedes entrar.',
  'refused.spending':
    'Por encima {scope, select, here {de tu límite en este servidor} member {de tu límite} server {del límite de este servidor} other {del límite del bot}}: esto cuesta unos {about, number} y hoy {scope, select, here {te quedan} member {te quedan} other {quedan}} {left, number} de {limit, number}. Se restablece {when}.',
  'refused.spending.never':
    'Por encima {scope, select, here {de tu límite en este servidor} member {de tu límite} server {del límite de este servidor} other {del límite del bot}}: esto cuesta unos {about, number}, más que los {limit, number} de un día entero. {advice}',
  'refused.spending.off':
    'La voz está desactivada{scope, select, member { para los miembros} server { en este servidor} total {} other { para los miembros de este servidor}}: el límite es de 0 al día. {advice}',
  'refused.spending.others': 'Este texto cuesta más de lo que le queda hoy a este miembro. Se restablece {when}.',
  'refused.spending.others-never': 'Este texto cuesta más de lo que este miembro puede gastar en todo un día. {advice}',
  'refused.spending.ask-admin': 'Un administrador del servidor puede subir el límite.',
  'refused.spending.ask-owner': 'El dueño del bot puede subir el límite.',
  'refused.lost-sounds':
    'El audio del modelo de esta voz no se pudo reproducir últimamente, así que el bot no pide más hasta la próxima prueba, {when}. Hasta entonces, elige una voz de otro modelo.',
  'refused.unknown-voice': 'La voz “{voice}” no existe. Consulta los nombres en /voices.',
  'refused.unknown-voice-did-you-mean':
    'La voz “{voice}” no existe; /voices muestra todos los nombres. ¿Querías decir {suggestions}?',
  'refused.ambiguous-voice': 'Varias voces se llaman “{voice}”: {candidates}. Añade el modelo, como se muestra aquí.',
  'refused.ambiguous-beside-forced':
    'Este servidor usa una sola voz, {forced}; solo se elige otra con la opción voice de /say. Varias se llaman “{voice}”: {candidates}; añade allí el modelo.',
  'refused.format':
    '{voice} solo admite {formats}. Omite la opción format{models, select, none {: ninguna voz de aquí admite {format}} other {, o elige para {format} una voz de {models}}}.',
  'refused.no-voices':
    'El servicio de voz no tiene voces en este momento. El dueño del bot debería revisar el servicio.',
  'refused.none-allowed':
    'Aquí no se puede leer nada: los modelos permitidos en este servidor no dejan ninguna voz. Un administrador del servidor puede cambiarlos con /settings panel, en la página “Voces”.',
  'refused.nobody-speaks': 'Ninguna voz disponible aquí puede leer {words}.',
  'refused.cannot-speak': '{voice} no puede leer {words}. Elige otra voz, por ejemplo {voices}.',
  'refused.server-not-allowed':
    'El dueño del bot solo permite ciertos servidores, y este no es uno de ellos. Pídele que añada su ID, {id}, a ALLOWED_SERVERS, e invita al bot otra vez.',
  'refused.unknown-command':
    'Este comando está desactualizado. Reinicia Discord para actualizar la lista, o consulta /help.',
  'refused.option-too-long': 'La opción {option} admite hasta {limit, number} caracteres; esto tiene {length, number}.',
  'refused.owner-only': 'Solo el dueño del bot puede usar este comando.',
  'refused.stopping': 'El bot se está reiniciando. Inténtalo de nuevo en un minuto.',
  'refused.session-ended':
    'Discord ha cerrado la conexión del bot. Avisa al dueño del bot: el registro dice qué hacer.',

  'permission.ViewChannel': 'Ver canal',
  'permission.Connect': 'Conectar',
  'permission.Speak': 'Hablar',
  'permission.MuteMembers': 'Silenciar miembros',

  'speech.invalid-request':
    'El servicio de voz ha rechazado esta solicitud. Inténtalo con otro texto u otra voz; si sigue fallando, avisa al dueño del bot.',
  'speech.input-too-long': 'El texto es demasiado largo para esta voz. Acórtalo, o repártelo en varios /say.',
  'speech.unsupported-format': 'Esta voz no admite ese formato de audio. Elige otra voz.',
  'speech.unsupported-language': 'Esta voz no habla este idioma. Elige otra voz.',
  'speech.voice-not-found':
    'El servicio de voz no tiene esta voz en este momento. Elige otra en /voices o inténtalo más tarde.',
  'speech.invalid-api-key':
    'El servicio de voz ha rechazado la clave del bot. El dueño del bot tiene que poner una VOICE_API_KEY válida.',
  'speech.invalid-api-key-local':
    'El servicio de voz del propio bot ha rechazado la clave del bot. El dueño del bot tiene que reiniciar el bot.',
  'speech.insufficient-credits':
    'No hay créditos suficientes. El dueño del bot tiene que recargar la cuenta del servicio de voz.',
  'speech.insufficient-credits-url':
    'No hay créditos suficientes. El dueño del bot puede recargar la cuenta del servicio de voz en {url}',
  'speech.insufficient-credits-local':
    'Al servicio de voz del propio bot no le quedan créditos suficientes para esto. Prueba con un texto más corto, o pide al dueño del bot que añada créditos.',
  'speech.allowance':
    'El cupo de la voz integrada no alcanza para este texto. Prueba con uno más corto, o pide al dueño del bot que lo amplíe.',
  'speech.content-policy':
    'El servicio de voz ha rechazado este texto por su política de contenido. Dilo de otra manera.',
  'speech.rate-limited':
    'Demasiadas solicitudes al servicio de voz. Inténtalo de nuevo {when, select, unknown {en un momento} other {{when}}}.',
  'speech.quota-exceeded':
    'La cuota del proveedor para este tipo de voz se ha agotado por ahora. El próximo intento es {when}; hasta entonces, elige una voz de otro modelo.',
  'speech.unavailable':
    'El servicio de voz está {when, select, unknown {saturado o no disponible en este momento. Inténtalo de nuevo en unos minutos} other {saturado en este momento. Inténtalo de nuevo {when}}}.',
  'speech.server-error':
    'El servicio de voz ha fallado. Inténtalo de nuevo; si sigue fallando, avisa al dueño del bot.',
  'speech.bad-response':
    'El servicio de voz ha enviado una respuesta no válida. Avisa al dueño del bot: puede que VOICE_API_URL esté mal.',
  'speech.network':
    'No se puede conectar con el servicio de voz. Inténtalo de nuevo en un minuto; si no funciona, avisa al dueño del bot.',
  'speech.timeout': 'El servicio de voz ha tardado demasiado en responder. Inténtalo de nuevo en un minuto.',
  'speech.aborted': 'Detenido antes de que respondiera el servicio de voz. Inténtalo de nuevo en un minuto.',

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
  'readable.sounds': '{count, plural, one {un archivo de audio} other {# archivos de audio}}',
  'readable.files': '{count, plural, one {un archivo} other {# archivos}}',
  'readable.hidden-files': '{count, plural, one {un adjunto oculto} other {# adjuntos ocultos}}',
  'reading.says': '{name} dice: {words}',
  'reading.sent': '{name} envió {words}',
  'reading.more': '… y más',
  'reading.joined': 'Entra: {names}',
  'reading.left': 'Sale: {names}',
  'reading.many-joined': '{count, plural, one {ha entrado una persona} other {han entrado # personas}}',
  'reading.many-left': '{count, plural, one {ha salido una persona} other {han salido # personas}}',
  'reading.trouble': '-# Al menos un mensaje de {member} no se ha leído. {why}',
  'reading.forced-cannot-speak':
    'La voz única obligatoria de este servidor no puede leerlo entero. Un administrador del servidor puede cambiarlo con /settings panel, en la página “Voces”.',
  'reading.nobody-speaks':
    'Ninguna voz que se pueda usar en este servidor puede leerlo entero. /voices las muestra con sus idiomas.',
  'reading.usual-cannot-speak': 'La voz que le toca no puede leerlo entero. Elige otra con /voice set.',
  'reading.too-many':
    'A cada miembro se le {count, plural, one {lee # texto} other {leen # textos}} en 10 segundos como máximo.',
  'reading.too-soon': 'El límite es un texto {seconds, plural, one {por segundo} other {cada # segundos}}.',

  'opt-out.description': 'No leer nunca mis mensajes ni anunciarme, en ningún servidor',
  'opt-out.back': 'Volver a permitirlo',
  'opt-out.done':
    'Desde ahora, el bot no lee tus mensajes ni te anuncia, en ningún servidor. Los demás tampoco pueden hacer que se lean. Los textos que envíes con /say se siguen leyendo. Para deshacerlo: /opt-out back:True.',
  'opt-out.taken-back': 'El bot puede leer tus mensajes y anunciarte, en los servidores que lo tengan activado.',

  'blocked.bleep': 'piii',

  'dictionary.in-line': 'Línea {number, number}: {problem}',
  'dictionary.in-entry': 'Entrada {number, number}: {problem}',
  'dictionary.file-too-large': 'Ese archivo es demasiado grande para ser un diccionario. No se ha cambiado nada.',
  'dictionary.is-settings':
    'Ese archivo contiene los ajustes de un servidor, no un diccionario, así que no se ha cambiado nada. Impórtalo en la página “{page}” de /settings panel.',
  'dictionary.no-entries':
    'Ese archivo no tiene entradas, así que no se ha cambiado nada. Exporta el diccionario para ver un ejemplo.',
  'dictionary.broken-json':
    'El JSON de ese archivo no es válido cerca de la línea {line, number}, así que no se ha cambiado nada. Corrígelo e inténtalo de nuevo.',
  'dictionary.no-tab':
    'Falta {separator, select, tab {el tabulador} other {el tabulador o la coma}} entre la forma escrita y la forma leída. Añádelo, o exporta el diccionario para ver un ejemplo.',
  'dictionary.columns':
    'Después de la forma leída viene “whole” o “part”, luego “case” o nada.{separator, select, tab {} other { Si una forma contiene “{separator}”, ponla entre comillas: {example}}}',
  'dictionary.form-missing': 'Falta {form, select, from {la forma escrita} other {la forma leída}}.',
  'dictionary.from-mixed':
    'La forma escrita tiene varios emojis, o un emoji junto a otra cosa, y así nunca se encuentra: cada emoji se lee por separado. Usa un solo emoji, o palabras sin emojis.',
  'dictionary.from-changed':
    'La forma escrita no se encuentra nunca: sin formato, enlaces ni repeticiones, de ella solo queda “{left}”.',
  'dictionary.same':
    '“{from}” ya se lee tal como se escribe, porque ninguna otra entrada lo cambia. No se ha cambiado nada.',
  'dictionary.form-too-long':
    '{form, select, from {La forma escrita} other {La forma leída}} tiene {length, number} caracteres; el máximo es {limit, number}.',
  'dictionary.not-an-entry': 'Esto no es una entrada. Un ejemplo: `{example}`.',
  'dictionary.twice': '“{from}” aparece dos veces; la primera, con el número {first, number}.',
  'dictionary.too-many':
    'Demasiadas entradas ({count, number}): un servidor puede tener {limit, number}. No se ha cambiado nada.',

  'dictionary.description': 'Elegir cómo se pronuncian las palabras en este servidor',
  'dictionary.add.description': 'Añadir o cambiar una palabra y su pronunciación',
  'dictionary.remove.description': 'Quitar una palabra del diccionario',
  'dictionary.remove.word': 'Escribe la palabra y elígela',
  'dictionary.list.description': 'Ver todas las palabras, y cambiarlas o quitarlas',
  'dictionary.test.description': 'Oír un texto con el diccionario; fuera de los canales de voz se muestra',
  'dictionary.test.text': 'Texto que quieres probar',
  'dictionary.import.description': 'Añadir palabras de un archivo, como el de /dictionary export',
  'dictionary.import.file': 'JSON, CSV o líneas con: forma escrita, tabulador, forma leída',
  'dictionary.import.how': 'Qué pasa con las palabras existentes; por defecto, se conservan',
  'dictionary.import.merge': 'conservarlas y añadir las del archivo',
  'dictionary.import.replace': 'sustituirlas por las del archivo',
  'dictionary.export.description': 'Descargar todas las palabras en un archivo',
  'dictionary.export.format': 'Formato del archivo; por defecto, JSON',
  'dictionary.export.tsv': 'tabla (con tabuladores)',
  'dictionary.form-add': 'Añadir una palabra',
  'dictionary.form-edit': 'Cambiar una palabra',
  'dictionary.form-from': 'Cómo se escribe',
  'dictionary.form-to': 'Cómo se lee',
  'dictionary.form-to-hint': 'Déjalo vacío para omitir la palabra',
  'dictionary.form-where': 'Coincidencia',
  'dictionary.form-whole': 'Solo palabras completas',
  'dictionary.form-part': 'También dentro de otras palabras',
  'dictionary.form-case': 'Mayúsculas y minúsculas',
  'dictionary.form-any-case': 'No distinguir',
  'dictionary.form-exact-case': 'Distinguir',
  'dictionary.entry':
    '“{from}” {to}{part, select, yes {, también dentro de otras palabras} other {}}{exact, select, yes {, solo con estas mayúsculas y minúsculas} other {}}',
  'dictionary.as': 'se lee “{to}”',
  'dictionary.as-nothing': 'se omite',
  'dictionary.added': '{after} (antes, tal como se escribe).',
  'dictionary.changed': '{after} (antes {before}).',
  'dictionary.unchanged': 'Sin cambios: {after}.',
  'dictionary.removed': 'Quitada: {before}. Vuelve a leerse tal como se escribe.',
  'dictionary.no-such': '“{word}” no está en el diccionario. Consulta /dictionary list.',
  'dictionary.blocked':
    '“{from}” no se puede leer como “{to}”: el servidor bloquea una palabra de esa forma leída. Elige otra.',
  'dictionary.gone':
    'Esa palabra se cambió o se quitó mientras tanto, así que no se ha cambiado nada. Consulta /dictionary list.',
  'dictionary.exists': 'Ya hay una entrada para “{from}”, así que no se ha cambiado nada. Cambia esa entrada.',
  'dictionary.title': '## Pronunciación en este servidor',
  'dictionary.empty': 'Todavía no hay palabras. Añade la primera con /dictionary add.',
  'dictionary.remove': 'Quitar palabras',
  'dictionary.reads': 'Se lee así: “{text}”',
  'dictionary.reads-hint': '-# Entra en un canal de voz y usa /dictionary test para oírlo.',
  'dictionary.imported':
    'Importado. Añadidas: {added, number}; cambiadas: {changed, number}; quitadas: {removed, number}. Ahora {after, plural, one {# palabra} other {# palabras}}; antes {before, plural, one {# palabra} other {# palabras}}.',
  'dictionary.header': '-# Se omitió la primera línea, que da nombre a las columnas: {line}',
  'dictionary.imported-added': '-# Añadidas: {words}. Para quitar alguna: /dictionary list.',
  'dictionary.imported-before': '-# El archivo adjunto contiene el diccionario anterior.',
  'dictionary.import-wrong': 'Ese archivo tiene errores, así que no se ha cambiado nada:',
  'dictionary.exported':
    'El diccionario como archivo: {count, plural, one {# palabra} other {# palabras}}. Usa /dictionary import para recuperarlo.',

  'moderation.kind.command': 'comando',
  'moderation.kind.message': 'mensaje',
  'moderation.kind.auto-read': 'leído del chat',
  'moderation.kind.file': 'archivo',
  'moderation.kind.voice-message': 'mensaje de voz',
  'moderation.kind.replay': 'leído otra vez',
  'moderation.outcome.spoken': 'leído',
  'moderation.outcome.stopped': 'detenido antes de terminar',
  'moderation.outcome.removed': 'quitado de la cola',
  'moderation.outcome.saved': 'guardado',
  'moderation.outcome.blocked': 'rechazado por una palabra bloqueada',
  'moderation.outcome.failed': 'no leído por completo',
  'moderation.outcome.unspoken': 'no leído',
  'moderation.outcome.unmade': 'no creado',
  'moderation.by': ' por {member}',
  'moderation.bleeped': ', con una palabra bloqueada sustituida por “piii”',
  'moderation.cause.muted': 'se silenció al miembro',
  'moderation.cause.opted-out': 'quien escribió el mensaje no quiere que se lea',
  'moderation.cause.role': 'los roles del miembro no lo permiten',
  'moderation.cause.blocked': 'mientras tanto se bloqueó una palabra que contiene',
  'moderation.cause.limit': 'por encima de un límite diario',
  'moderation.cause.stopping': 'se reinició el bot',
  'moderation.cause.kicked': 'se desconectó al bot',
  'moderation.cause.channel-gone': 'se eliminó el canal de voz',
  'moderation.cause.nobody-listening': 'nadie escuchaba',
  'moderation.cause.paused-too-long': 'demasiado tiempo en pausa',
  'moderation.cause.audience': 'se pasó al bot al público',
  'moderation.cause.connection': 'problema con la conexión de voz',
  'moderation.cause.content': 'el servicio de voz rechazó el contenido',
  'moderation.cause.speech': 'problema con el servicio de voz',
  'moderation.where': ', en {channel}',
  'moderation.credits': ', {credits, plural, =0 {sin créditos} one {# crédito} other {# créditos}}',
  'lines.more': '-# … y {count, plural, one {uno más} other {# más}}.',
  'moderation.no-channel':
    'El canal {channel} del registro de moderación ya no existe, o el bot no puede verlo. Elige otro con /settings panel.',
  'moderation.seen-by-all':
    '⚠️ Todos en este servidor ven {channel}, así que todos pueden leer el registro de moderación. Para que quede entre moderadores, elige un canal que solo vean ellos.',
  'moderation.not-allowed':
    'El bot no puede escribir en el registro de moderación: le falta “Ver canal” o “Enviar mensajes” en {channel}. Permíteselo, o elige otro canal con /settings panel.',

  'blocked.refused': 'Este texto no se ha leído: el servidor bloquea “{rule}”. Usa otras palabras.',
  'blocked.style': 'Este estilo tiene una palabra que este servidor bloquea. Elige otro.',
  'blocked.emoji':
    'Los emojis se bloquean por las palabras con las que se leen, que cambian según el idioma. Escribe esas palabras; fuera de los canales de voz, /dictionary test las muestra.',
  'blocked.star-inside':
    'Un * solo funciona al principio o al final de una palabra. Escribe la palabra entera; si son varias, ponlas en líneas distintas o separadas por comas.',
  'blocked.empty': 'Una palabra necesita al menos una letra o un carácter además del * de sus extremos.',
  'blocked.too-long':
    'Una palabra puede tener hasta {limit, number} caracteres; esta tiene {length, number}. Acórtala.',
  'blocked.too-short':
    'Con *, una palabra necesita al menos {least, number} letras; si no, coincidiría con casi todos los textos. Quita el *, o añade letras.',

  'join.failed':
    'El bot no pudo entrar en {channel}: Discord no se lo permitió. Inténtalo de nuevo; si sigue fallando, revisa sus permisos allí.',
  'join.busy':
    'El bot no pudo entrar en {channel}: Crier está entrando en muchos canales en este momento. Inténtalo de nuevo en un minuto.',
  'join.no-answer':
    'El bot no pudo entrar en {channel}: el servidor de voz de Discord no respondió a tiempo. Inténtalo de nuevo en un minuto.',
  'join.no-udp':
    'El bot no pudo entrar en {channel}: no hubo respuesta por UDP. Un cortafuegos o la red del bot bloquea UDP; avisa al dueño del bot.',
  'join.no-ipv4':
    'El bot no pudo entrar en {channel}: la máquina en la que funciona no tiene IPv4, que la voz de Discord necesita. Avisa al dueño del bot.',
  'join.given-up':
    'El bot no llegó a entrar en {channel}: se le pidió salir o ir a otro canal. Usa /join para intentarlo otra vez.',
  'join.encryption':
    'El bot no pudo establecer con Discord el cifrado de la llamada en {channel}. Avisa al dueño del bot: el programa doctor muestra por qué.',
  'audio.refused':
    'El audio está en una dirección desde la que el bot no puede descargar. El dueño del bot debería revisar el registro y AUDIO_HOSTS.',
  'audio.unreachable': 'El audio se generó, pero no se pudo descargar. Inténtalo de nuevo en un minuto.',
  'audio.cut-off': 'El audio se cortó, así que esto no se leyó por completo. Inténtalo de nuevo en un minuto.',
  'audio.unplayable': 'El audio se generó, pero no se puede reproducir. Prueba otra voz, y avisa al dueño del bot.',
  'audio.too-large': 'El audio es más largo de lo que el bot puede reproducir de una vez. Usa un texto más corto.',
  'audio.too-short':
    'La voz no dijo nada, o solo una pequeña parte de este texto. Inténtalo de nuevo, o prueba otra voz u otras palabras.',
  'audio.endless':
    'La voz no paraba: el audio era mucho más largo que el texto y se cortó. Prueba otra voz u otras palabras.',
  'play.kicked':
    'Desconectaron al bot de {channel}, así que esto no se leyó{heard, select, part { por completo} other {}}.',
  'play.channel-gone':
    'El canal de voz se eliminó, así que esto no se leyó{heard, select, part { por completo} other {}}.',
  'play.connection-lost':
    'Se perdió la conexión con el canal de voz, así que esto no se leyó{heard, select, part { por completo} other {}}. Inténtalo de nuevo.',
  'play.unheard':
    'Discord no dejó entrar al bot en el cifrado de extremo a extremo de la llamada en {channel}, ni siquiera al volver a unirse, así que esto no se oyó. Inténtalo de nuevo en un minuto.',
  'play.encryption-lost':
    'El bot perdió el cifrado de extremo a extremo de la llamada en {channel}, así que esto no se oyó por completo. Inténtalo de nuevo en un minuto.',
  'play.unanswered': 'Discord no aceptó a tiempo la respuesta del bot, así que esto no se leyó. Inténtalo de nuevo.',
  'play.nobody-listening':
    'Nadie escucha en {channel}, así que esto no se leyó{heard, select, part { por completo} other {}}.',
  'play.stopped': 'Quitado de la cola.',
  'play.skipped': 'Saltado{by, select, requester {} other { por <@{by}>}}: “{text}”',
  'play.stopped-current': 'Detenido{by, select, requester {} other { por <@{by}>}}: “{text}”',
  'play.removed': 'Quitado de la cola{by, select, requester {} other { por <@{by}>}}: “{text}”',
  'play.paused-too-long':
    'El bot se fue tras una pausa larga, así que esto no se leyó{heard, select, part { por completo} other {}}.',
  'play.held-back':
    'No se podía oír al bot en {channel}: entró sin el permiso “Hablar”, así que salió. Si ahora lo tiene, usa /say otra vez.',
  'play.put-into-audience':
    'Un moderador pasó al bot al público de {channel}, así que esto no se leyó{heard, select, part { por completo} other {}}. Usa /say otra vez y solicitará hablar.',
  'play.server-left': 'Se expulsó al bot del servidor.',

  'resumed.later':
    '{isOver, select, yes {Discord ha cerrado la conexión del bot: avisa al dueño del bot, el registro dice qué hacer.} other {El bot se está reiniciando.}} {billed, select, begun {Se interrumpió a la mitad; cuando vuelva, podrás hacer que lo lea otra vez.} maybe {Esto aún se estaba generando y solo se volverá a generar si lo pides.} other {Esto se leerá si el bot vuelve en diez minutos y alguien sigue escuchando.}}',
  'resumed.spoken': 'Leído en {channel}. Justo después se reinició el bot.',
  'resumed.failed':
    'Esto no se leyó{heard, select, nothing {} other { por completo}}, y justo después se reinició el bot.',
  'resumed.not-spoken': 'El bot se reinició, así que esto no se leyó{heard, select, nothing {} other { por completo}}.',
  'resumed.too-late':
    'El bot estuvo fuera demasiado tiempo, así que esto no se leyó{heard, select, nothing {} other { por completo}}.',
  'resumed.nobody':
    'El bot se reinició. Ya no escucha nadie en {channel}, así que esto no se leyó{heard, select, nothing {} other { por completo}}.',
  'resumed.maybe-billed': 'El bot se reinició mientras generaba esto, así que solo se vuelve a generar si lo pides.',
  'resumed.file': 'El bot se reinició mientras creaba esto. Usa el comando otra vez.',
  'resumed.messages':
    '-# El bot se reinició: {count, plural, one {no se leyó # mensaje} other {no se leyeron # mensajes}}.',

  'left.idle': 'El bot salió de {channel}: no se leyó nada durante un rato. Usa /say o /join para que vuelva.',
  'left.paused-too-long': 'El bot salió de {channel}: la pausa duró demasiado. Usa /say para continuar.',
  'left.kicked': 'El bot salió de {channel}: alguien lo desconectó. Usa /say o /join para que vuelva.',
  'left.channel-gone': 'El bot salió del canal de voz porque se eliminó. Entra en otro y usa /say allí.',
  'left.connection-lost': 'El bot salió de {channel}: se perdió la conexión. Usa /say o /join para que vuelva.',
  'left.not-allowed': 'El bot salió de {channel}. {why}',

  'kept.own-settings':
    '**Tu voz**: las voces, los idiomas, el estilo, la velocidad, la temperatura y el nombre hablado que ajustaste con /voice, por tu ID de usuario, en la base de datos del bot hasta que los restablezcas.',
  'kept.own-settings.now': 'ajustes de /voice, en {places, plural, one {# lugar} other {# lugares}}',
  'kept.use':
    '**Tu uso**: {free, select, yes {cuánto se ha leído para ti} other {cuántos créditos has usado}} y cuántos textos {free, select, yes {salieron de la caché} other {fueron gratis}}, por día, servidor e ID de usuario, en la base de datos del bot hasta el final del mes siguiente.{free, select, yes {} other { En ello se basan los límites.}}',
  'kept.use.credits': '{credits, plural, one {# crédito} other {# créditos}}',
  'kept.use.counted': 'el recuento',
  'kept.use.now': '{what} de este mes y del anterior',
  'kept.use.today': '{what} de hoy{ends, select, yes {, hasta las 00:00 UTC} other {}}',
  'kept.use.before': '{what} de los días anteriores a hoy',
  'kept.queue':
    '**Lo que dices**: el texto y su audio, en memoria, mientras espera y hasta 15 minutos después, para poder leerlo otra vez y que los botones sigan funcionando. Hasta que se lee, diez minutos como máximo, el texto está también cifrado en el disco, para que sobreviva a un reinicio; junto a él, dónde lo pediste, hasta que la respuesta sea definitiva, un día como máximo.',
  'kept.queue.waiting': '{count, plural, one {# texto} other {# textos}} en espera',
  'kept.queue.spoken': '{count, plural, one {# texto leído} other {# textos leídos}} hace poco',
  'kept.queue.offered':
    '{count, plural, one {# texto guardado} other {# textos guardados}} para que un botón como “Intentar de nuevo” siga funcionando',
  'kept.queue.elsewhere': 'lo que otros procesos del bot aún puedan tener en espera',
  'kept.opt-out':
    '**Tu exclusión**: que usaste /opt-out y cuándo, por tu ID de usuario, en la base de datos del bot hasta que lo deshagas.',
  'kept.opt-out.now': 'la exclusión de lecturas y anuncios',
  'kept.sound':
    '**Audio**: lo que se leyó, sin su texto ni quién lo dijo, con un código que no se puede rastrear: en memoria y en disco, durante {days, number} días. Así el mismo texto se {free, select, yes {genera una sola vez.} other {paga una sola vez. La dirección cifrada del audio pagado se guarda 15 minutos.}}',
  'kept.moderation-log':
    '**Registro de moderación**: solo si los administradores eligieron un canal para él. Muestra quién hizo leer un texto y cuándo, su tipo, longitud, voz, canal{free, select, yes { y resultado} other {, resultado y créditos}}, hasta que alguien lo borre allí. Nunca el texto.',
  'kept.server-settings':
    '**Ajustes del servidor**: lo que los administradores ajustaron con /settings, con los ID de roles y canales y de miembros silenciados, hasta que lo restablezcan.',
  'kept.server-settings.now': 'ajustes de este servidor: {count, number}',
  'kept.dictionary':
    '**Diccionario**: cómo se pronuncian las palabras en un servidor, tal como lo escribieron sus administradores, hasta que lo borren.',
  'kept.dictionary.now': 'diccionario de este servidor: {entries, plural, one {# entrada} other {# entradas}}',
  'kept.notices':
    '**Avisos**: que el bot se presentó, y cuándo se fue, por ID de servidor. Todos los datos de un servidor se borran 30 días después de que el bot salga de él.',
  'kept.bot':
    '**Sobre el bot**: dónde están registrados sus comandos{free, select, yes {} other {, cuántos créditos quedan y cuánto cuesta un modelo}}. Sobre personas, solo qué idioma usan sus dueños, en memoria.',

  'privacy.description': 'Qué datos guarda el bot sobre ti, dónde y por cuánto tiempo',
  'privacy.title':
    '**Lo que guarda este bot.** Su base de datos está en el disco del equipo donde funciona. No se guarda nada de lo que dice la gente, salvo lo que aparece aquí.',
  'privacy.yours':
    '  - Ahora: {what, select, nothing {nada.} unknown {no se sabe, porque la base de datos del bot no está disponible.} other {{what}.}}',
  'privacy.log':
    'El dueño del bot tiene un registro: comandos, horas, voces, costes, errores y los ID de usuarios, servidores y canales, pero nunca lo que se dijo.',
  'privacy.sent': 'Los textos se envían al servicio de voz, que los convierte en voz.',
  'privacy.made-here':
    'El servicio de voz funciona junto al bot y convierte él mismo los textos en voz: no se envían a ningún otro servicio.',
  'privacy.replies':
    'Las respuestas del bot se quedan en Discord, con los textos que citan, hasta que alguien las borre allí.',
  'privacy.forget': '/forget borra tus datos.',
  'privacy.forget-server': 'Administras este servidor: /forget server:True borra sus datos.',

  'forget.description': 'Borrar los datos que el bot guarda sobre ti',
  'forget.server': 'Borrar en su lugar los datos de este servidor; para sus administradores',
  'forget.ask':
    'Esto se borrará{whose, select, server { para todos en este servidor} other {, en todos los servidores}}, y no se puede deshacer:',
  'forget.wish': '- solo si lo eliges: {what}',
  'forget.yes': 'Borrar',
  'forget.yes-opt-out': 'Borrar{also, select, yes { también} other {}} la exclusión',
  'forget.nothing':
    'No hay nada tuyo que borrar. Los ajustes de un servidor aún pueden nombrarte, por ejemplo como silenciado: consulta /privacy.',
  'forget.nothing-left': 'Eso ya está hecho: aquí no queda nada por borrar.',
  'forget.nothing-here': 'No hay nada de este servidor que borrar.',
  'forget.nothing-at-once': 'No hay nada que borrar de inmediato.',
  'forget.deleted': 'Borrado:',
  'forget.today':
    '{asked, select, yes {Si pulsas “Borrar”, solo hasta el final del día, a las 00:00 UTC, se guarda} other {Se borra al final del día, a las 00:00 UTC}}{free, select, yes {} other {, porque en ello se basan los límites de hoy}}: {what} de hoy{whose, select, server { en este servidor} other {}}.',
  'forget.left':
    'Esto no se pudo borrar, porque la base de datos del bot no está disponible. Inténtalo de nuevo en un minuto:',

  'welcome.hello': '**¡Hola! Leo tus mensajes en voz alta en los canales de voz.**',
  'welcome.members':
    'Entra en un canal de voz y prueba /say. /help muestra todo lo demás, /privacy los datos que se guardan.',
  'welcome.admins': 'Para los administradores del servidor: cuatro pasos cortos, todos opcionales.',
  'welcome.begin': 'Configurar',
  'setup.description': 'Configurar el bot en cuatro pasos: voz, lectura, quién y dónde, límites',
  'setup.voice': '**Paso 1 de 4: la voz.** ¿Qué voz lee si un miembro no elige otra?',
  'setup.voice.more':
    '-# En total hay {count, number} voces: /voices las muestra, las reproduce y hace de cualquiera la predeterminada.',
  'setup.language': '-# En este idioma el bot dice los emojis, los enlaces y quién dice algo.',
  'setup.reading':
    '**Paso 2 de 4: lectura.** ¿De qué canales se leen los mensajes en el canal de voz? /say funciona en cualquier caso.',
  'setup.people':
    '**Paso 3 de 4: quién y dónde.** Elige los roles que pueden usar el bot, y los canales para ello. Si no eliges nada: todos, en todas partes.',
  'setup.limits':
    '**Paso 4 de 4: límites.** {counted, select, nothing {La voz es gratuita: estos límites son para los textos y la cola.} other {Los {counted, select, characters {caracteres} other {créditos}} se cuentan por día; el dueño del bot también ha fijado límites.}}',
  'setup.summary': '**Listo.** Tus ajustes para este servidor:',
  'setup.summary.nothing': '- Sin cambios: todo queda en su valor predeterminado.',
  'setup.summary.more':
    'Todo lo demás: /settings panel. Lo que pueden hacer los miembros: /help. Para repetir esto: /setup.',
  'setup.next': 'Conservar y seguir',
  'setup.finish': 'Conservar y terminar',
  'setup.back': 'Atrás',

  'owner.description': 'Para el dueño del bot',
  'owner.no-server': 'No se ha encontrado el servidor “{server}”. Elige uno de la lista.',
  'owner.status.description': 'Ver el estado del bot',
  'owner.status.title': '**Crier {version}**, iniciado {since}.',
  'owner.status.draining': 'Se está cerrando: no se aceptan textos nuevos.',
  'owner.status.lost-audio':
    '- **El audio pagado no llega** de {models}: el bot ha dejado de pagar por ellos, salvo una prueba de vez en cuando. Consulta el registro.',
  'owner.status.check.discord': 'conexión con Discord',
  'owner.status.check.commands': 'comandos',
  'owner.status.check.store': 'base de datos',
  'owner.status.check.speech': 'servicio de voz',
  'owner.status.check.joining': 'entrada en canales de voz',
  'owner.status.trouble': '- **{name}: problema** (`{state}`). Consulta el registro.',
  'owner.spending.description': 'Lo usado hoy y este mes, en total y por servidor y miembro',
  'owner.spending.total':
    'Todos los servidores: hoy, {today} de {limit, number}; este mes, {month, number}. Los límites diarios se restablecen {when}.',
  'owner.spending.total-unlimited': 'Todos los servidores: hoy, {today}; este mes, {month, number}.',
  'owner.spending.unknown':
    'De los créditos de hoy, aproximadamente {credits, plural, one {# es} other {# son}} de {requests, plural, one {# solicitud} other {# solicitudes}} sin respuesta. Puede que el servicio lo haya cobrado.',
  'owner.spending.free': 'La voz es gratuita: sus caracteres solo se cuentan.',
  'owner.spending.none': 'Este mes no se ha usado nada.',
  'owner.spending.servers': 'Por servidor:',
  'owner.spending.members': 'Por miembro:',
  'owner.spending.line': '{rank, number}. {name}: {today, number} hoy, {month, number} este mes',
  'owner.spending.left': 'un servidor del que salió el bot, o de otro proceso',
  'owner.spending.outside':
    'Mensajes directos y servidores con datos borrados: {today, number} hoy, {month, number} este mes',
  'owner.forget.description': 'Borrar los datos de un miembro que lo ha pedido',
  'owner.forget.user': 'El miembro, o su ID si ya no está',
  'owner.forget.about': 'Datos sobre {user} (`{id}`):',
  'owner.forget.nothing':
    'No hay nada que borrar. Los ajustes de un servidor aún pueden nombrar al miembro, por ejemplo como silenciado: sus administradores pueden cambiarlo.',
  'owner.leave.description': 'Hacer que el bot salga de un servidor',
  'owner.leave.server': 'Escribe su nombre o su ID y elígelo',
  'owner.leave.ask':
    '¿Salir de {server}, con {members, plural, one {# miembro} other {# miembros}}? Sus datos se borran a los 30 días, salvo que se invite al bot otra vez.',
  'owner.leave.yes': 'Salir del servidor',
  'owner.leave.done': 'El bot ha salido de {server}.',

  'store.failed':
    'La base de datos del bot no está disponible, así que no se ha cambiado nada y no se puede mostrar ni leer nada. Inténtalo de nuevo en un minuto; si sigue fallando, avisa al dueño del bot.',
  'store.unread':
    'La base de datos del bot no está disponible, así que no se conoce el uso. Mientras tanto se rechazan los textos nuevos.',
  'failed.unexpected':
    'Ha ocurrido un error en el bot. Inténtalo de nuevo; si sigue fallando, dale este código al dueño del bot:',
  'failed.answer-refused':
    'Discord rechazó la respuesta del bot, así que no se puede mostrar. Inténtalo de nuevo; si sigue fallando, avisa al dueño del bot.',

  'failed.part': 'Se detuvo en la parte {part, number} de {parts, number}, que no se pudo generar.',
  'failed.credits-used': '{used, plural, one {Se ha usado # crédito} other {Se han usado # créditos}}.',
  'failed.credits-unknown': 'Puede que se hayan usado créditos.',
  'failed.credits-maybe-more': 'La parte que aún se estaba generando puede costar algo más.',
  'failed.credits-none': 'No se han usado créditos.',
};
