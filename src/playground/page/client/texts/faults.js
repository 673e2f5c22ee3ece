/* What each fault does, in German and Spanish; in English the playground says it, here as at its prompt. */

const ABOUT = {
  'speech-unavailable': ['Der Sprachdienst antwortet mit 503', 'el servicio de voz responde 503'],
  'speech-no-credits': [
    'Das Konto beim Sprachdienst hat keine Credits mehr (402)',
    'la cuenta del servicio de voz no tiene créditos (402)',
  ],
  'speech-slow': [
    'Liefert so viele Bytes Sprache pro Sekunde (abgespielt werden 48.000), sodass sie stockt; 0 heißt ungebremst',
    'entrega tantos bytes de voz por segundo (se reproducen 48.000), así que se entrecorta; 0 es sin límite',
  ],
  'gateway-cut': [
    'Trennt die TCP-Verbindungen des Gateways; die Sitzungen können fortgesetzt werden',
    'corta las conexiones TCP del gateway; las sesiones se pueden reanudar',
  ],
  'gateway-reconnect': [
    'Fordert den Bot auf, sich neu zu verbinden (op 7)',
    'pide al bot que se conecte de nuevo (op 7)',
  ],
  'gateway-session': [
    'Erklärt die Gateway-Sitzung für ungültig (op 9)',
    'declara inválida la sesión del gateway (op 9)',
  ],
  'gateway-identify-refused': [
    'Beendet die Sitzung und lehnt so viele der nächsten IDENTIFYs als zu früh ab (op 9)',
    'termina la sesión y rechaza tantos de los próximos IDENTIFY por llegar demasiado pronto (op 9)',
  ],
  'gateway-close': [
    'Schließt die Gateway-Verbindungen mit einem Code',
    'cierra las conexiones del gateway con un código',
  ],
  'gateway-silent': ['Beantwortet keine Heartbeats', 'no responde a los heartbeats'],
  'gateway-down': ['Weist neue Gateway-Verbindungen ab', 'rechaza nuevas conexiones del gateway'],
  'gateway-resume-down': [
    'Weist Verbindungen zu der Adresse ab, an der Sitzungen fortgesetzt werden',
    'rechaza las conexiones a la dirección en la que se reanudan las sesiones',
  ],
  'gateway-twice': ['Sendet jeden Befehl und jede Nachricht zweimal', 'envía dos veces cada comando y cada mensaje'],
  kick: ['Ein Moderator trennt den Bot vom Sprachkanal', 'un moderador desconecta al bot de la voz'],
  'channel-full': ['In General ist kein Platz mehr', 'en General no queda sitio'],
  outage: [
    'Der Server ist so viele Millisekunden lang nicht verfügbar',
    'el servidor no está disponible durante tantos milisegundos',
  ],
  'voice-cut': [
    'Trennt die Sprachverbindung des Bots; sie kann fortgesetzt werden',
    'corta la conexión de voz del bot; se puede reanudar',
  ],
  'voice-close': [
    'Schließt die Sprachverbindung mit diesem Code und sendet nichts mehr',
    'cierra la conexión de voz con este código y no envía nada más',
  ],
  'voice-cut-replayed': [
    'Trennt die Sprachverbindung für eine Sekunde und sendet das Verpasste vor oder nach op 9 (Resumed)',
    'corta la conexión de voz un segundo y envía lo perdido antes o después de op 9 (Resumed)',
  ],
  'voice-no-group': [
    'Nimmt in General niemanden in die Gruppe der Ende-zu-Ende-Verschlüsselung auf',
    'no admite a nadie en el grupo de cifrado de extremo a extremo de General',
  ],
  'voice-group-slow': [
    'Beginnt die Ende-zu-Ende-Verschlüsselung neuer Verbindungen so viele Millisekunden später',
    'empieza el cifrado de extremo a extremo de las conexiones nuevas tantos milisegundos más tarde',
  ],
  'voice-commit-lost': [
    'Verliert den nächsten Commit des Bots für die Verschlüsselungsgruppe (op 29)',
    'pierde el próximo commit del bot para el grupo de cifrado (op 29)',
  ],
  'voice-version': [
    'Stellt das Gespräch in General auf diese Version der Verschlüsselung um; 0 heißt keine',
    'cambia la llamada de General a esta versión del cifrado; 0 es ninguna',
  ],
  'voice-no-udp': [
    'Antwortet nicht über UDP, wie hinter einer Firewall',
    'no responde por UDP, como tras un cortafuegos',
  ],
  'voice-udp-silent': [
    'Lässt in keiner Richtung ein Datagramm durch',
    'no deja pasar ningún datagrama en ningún sentido',
  ],
  'voice-discovery-lost': [
    'Verliert so viele der nächsten Datagramme der IP-Ermittlung',
    'pierde tantos de los próximos datagramas del descubrimiento de IP',
  ],
  'voice-unreachable': [
    'Weist so viele der nächsten Verbindungen zum Sprach-Gateway mit HTTP-Status 521 ab',
    'rechaza tantas de las próximas conexiones al gateway de voz con el estado HTTP 521',
  ],
  'voice-no-ready': ['Sendet neuen Verbindungen kein op 2 (Ready)', 'no envía op 2 (Ready) a las conexiones nuevas'],
  'voice-no-description': [
    'Sendet neuen Verbindungen kein op 4 (Session Description)',
    'no envía op 4 (Session Description) a las conexiones nuevas',
  ],
  'voice-no-echo': ['Sendet keine Keep-alive-Datagramme zurück', 'no devuelve los datagramas de keep-alive'],
  'voice-members-late': [
    'Meldet Mitglieder (op 11) so viele Millisekunden nach dem Vorschlag, der sie nennt',
    'anuncia a los miembros (op 11) tantos milisegundos después de la propuesta que los nombra',
  ],
  'voice-stray-datagram': [
    'Schickt dem Bot ein Datagramm von so vielen Bytes, wie es beim Abtasten von Ports ankommt',
    'envía al bot un datagrama de tantos bytes, como los que llegan al explorar puertos',
  ],
  mute: ['Ein Moderator schaltet den Bot stumm', 'un moderador silencia al bot'],
  deafen: ['Ein Moderator schaltet den Ton für den Bot aus', 'un moderador ensordece al bot'],
  'voice-move': [
    'Schließt die Sprachverbindung mit diesem Code und nennt 1,5 s später einen neuen Sprachserver',
    'cierra la conexión de voz con este código y nombra otro servidor de voz 1,5 s después',
  ],
  'voice-move-announced': [
    'Dasselbe, davor aber eine Nachricht ohne Adresse des Sprachservers',
    'lo mismo, pero antes con un aviso sin dirección del servidor de voz',
  ],
  'voice-refuse': [
    'Schließt die nächste Sprachverbindung mit diesem Code, sobald sie sich ausweist',
    'cierra la próxima conexión de voz con este código cuando se identifica',
  ],
  'voice-events-swapped': [
    'Nennt den Sprachserver, bevor der Sprachstatus kommt',
    'nombra el servidor de voz antes de enviar el estado de voz',
  ],
  'voice-state-late': [
    'Sendet den Sprachstatus so viele Millisekunden später, etwa nach einem Rauswurf',
    'envía los estados de voz tantos milisegundos más tarde, por ejemplo tras una expulsión',
  ],
  'voice-state-lost': ['Sendet keinen Sprachstatus', 'no envía ningún estado de voz'],
  'voice-server-lost': ['Nennt keinen Sprachserver', 'no nombra ningún servidor de voz'],
  'voice-crowd': [
    'Lässt den Bot auf so vielen weiteren Servern einem Kanal beitreten; nach gateway-session lost muss er es überall erneut',
    'hace que el bot entre en un canal de tantos servidores más; tras gateway-session lost tiene que entrar de nuevo en todos',
  ],
  'no-speak': ['Nimmt dem Bot das Recht, in General zu sprechen', 'quita al bot el permiso de hablar en General'],
  'speak-at-once': [
    'Ein geändertes Recht zu sprechen gilt sofort, nicht erst beim nächsten Beitritt',
    'un cambio del permiso de hablar vale enseguida, no desde la próxima entrada',
  ],
  'rest-error': [
    'Beantwortet die nächste Anfrage des Bots mit diesem Status',
    'responde a la próxima solicitud del bot con este estado',
  ],
  'rest-limit': [
    'Beantwortet die nächste Anfrage des Bots mit 429, für so viele Sekunden',
    'responde a la próxima solicitud del bot con 429, durante tantos segundos',
  ],
  'rest-slow': [
    'Verzögert die nächste Anfrage des Bots um so viele Millisekunden',
    'retrasa la próxima solicitud del bot tantos milisegundos',
  ],
  'rest-lost': [
    'Führt die nächste Anfrage des Bots aus und verliert die Antwort',
    'ejecuta la próxima solicitud del bot y pierde la respuesta',
  ],
  'machine-address': [
    'Gibt diesem Rechner eine andere Adresse; nur in einem eigenen Netz, siehe docs/first-contact.md',
    'da a esta máquina otra dirección; solo en una red propia, véase docs/first-contact.md',
  ],
  'machine-port': [
    'Beendet die lokale Stimme und überlässt ihren Port einem anderen Programm',
    'termina la voz local y deja su puerto a otro programa',
  ],
  'bot-library': [
    'Startet den Bot neu, mit einem anderen Namen für dieses Innere der Sprachbibliothek; none: wie installiert',
    'reinicia el bot con otro nombre para este interior de la biblioteca de voz; none: como está instalada',
  ],
  'bot-killed': [
    'Beendet den Bot gewaltsam und startet ihn wieder: Angenommene Texte kommen zurück, ein noch nicht beantworteter Befehl ist verloren',
    'mata al bot y lo inicia de nuevo: los textos que había aceptado vuelven, un comando aún sin responder se pierde',
  ],
};

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** `about` is what the playground says of it. */
export function aboutFault(language, { name, about }) {
  const [de, es] = ABOUT[name] ?? [about, about];
  return capital({ de, es }[language] ?? about);
}
