/**
 * What people write in a chat, in 25 languages: a sentence of about three words, one of about seven and one of 15 to 40. They
 * are no translations of each other, so that each language has its own everyday words.
 */
export const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  en: [
    'Good morning everyone',
    'We should start the next round before dinner.',
    'If you want to join us on Saturday, please write your name into the list and tell us which role you would like to play.',
  ],
  es: [
    'Hola, cómo estás',
    'Mañana empezamos la partida después de cenar.',
    'Si quieres jugar con nosotros el sábado, apunta tu nombre en la lista y dinos qué personaje te gustaría llevar.',
  ],
  de: [
    'Guten Morgen zusammen',
    'Wir fangen nach dem Abendessen mit der nächsten Runde an.',
    'Wenn du am Samstag mitspielen möchtest, trag dich bitte in die Liste ein und schreib dazu, welche Rolle du übernehmen willst.',
  ],
  fr: [
    'Bonjour tout le monde',
    'On commence la prochaine partie après le dîner.',
    'Si tu veux jouer avec nous samedi, inscris ton nom sur la liste et dis-nous quel personnage tu aimerais prendre.',
  ],
  it: [
    'Buongiorno a tutti',
    'Cominciamo la prossima partita dopo cena.',
    'Se vuoi giocare con noi sabato, scrivi il tuo nome nella lista e dicci quale personaggio ti piacerebbe prendere.',
  ],
  pt: [
    'Bom dia pessoal',
    'Vamos começar a próxima rodada depois do jantar.',
    'Se você quiser jogar com a gente no sábado, coloque o seu nome na lista e diga qual personagem prefere.',
  ],
  nl: [
    'Goedemorgen allemaal samen',
    'We beginnen na het eten met de volgende ronde.',
    'Als je zaterdag mee wilt spelen, zet dan je naam op de lijst en vertel ons welke rol je graag zou willen hebben.',
  ],
  sv: [
    'God morgon allihopa',
    'Vi börjar nästa runda efter middagen.',
    'Om du vill vara med på lördag kan du skriva ditt namn i listan och berätta vilken roll du helst vill spela.',
  ],
  pl: [
    'Dzień dobry wszystkim',
    'Następną rundę zaczynamy zaraz po kolacji.',
    'Jeśli chcesz z nami zagrać w sobotę, wpisz swoje imię na listę i napisz, jaką postacią chciałbyś grać.',
  ],
  cs: [
    'Dobré ráno všem',
    'Další kolo začneme hned po večeři.',
    'Jestli chceš v sobotu hrát s námi, zapiš se prosím do seznamu a napiš, jakou postavu by sis chtěl vzít.',
  ],
  ru: [
    'Доброе утро всем',
    'Следующий раунд начнём сразу после ужина.',
    'Если хочешь поиграть с нами в субботу, запиши своё имя в список и скажи, какую роль ты хотел бы взять.',
  ],
  uk: [
    'Доброго ранку всім',
    'Наступний раунд почнемо одразу після вечері.',
    'Якщо хочеш зіграти з нами в суботу, запиши своє ім’я у список і скажи, яку роль ти хотів би взяти.',
  ],
  tr: [
    'Herkese günaydın arkadaşlar',
    'Bir sonraki tura akşam yemeğinden sonra başlıyoruz.',
    'Cumartesi günü bizimle oynamak istersen lütfen adını listeye yaz ve hangi karakteri almak istediğini söyle.',
  ],
  el: [
    'Καλημέρα σε όλους',
    'Ο επόμενος γύρος αρχίζει αμέσως μετά το φαγητό.',
    'Αν θέλεις να παίξεις μαζί μας το Σάββατο, γράψε το όνομά σου στη λίστα και πες μας ποιον ρόλο προτιμάς.',
  ],
  ro: [
    'Bună dimineața tuturor',
    'Începem runda următoare imediat după cină.',
    'Dacă vrei să te joci cu noi sâmbătă, scrie-ți numele pe listă și spune-ne ce rol ai vrea să primești.',
  ],
  hu: [
    'Jó reggelt mindenkinek',
    'A következő kört vacsora után kezdjük.',
    'Ha szombaton szeretnél velünk játszani, írd fel a neved a listára, és mondd meg, melyik szerepet kéred.',
  ],
  fi: [
    'Hyvää huomenta kaikille',
    'Seuraava kierros alkaa heti päivällisen jälkeen.',
    'Jos haluat pelata kanssamme lauantaina, kirjoita nimesi listaan ja kerro, minkä roolin haluaisit ottaa.',
  ],
  vi: [
    'Chào buổi sáng mọi người',
    'Chúng ta bắt đầu ván tiếp theo sau bữa tối.',
    'Nếu bạn muốn chơi cùng chúng tôi vào thứ bảy thì hãy ghi tên vào danh sách và cho biết bạn thích vai nào.',
  ],
  id: [
    'Selamat pagi semuanya',
    'Ronde berikutnya kita mulai setelah makan malam.',
    'Kalau kamu mau ikut bermain pada hari Sabtu, tulis namamu di daftar dan beri tahu kami peran apa yang kamu inginkan.',
  ],
  hi: [
    'सबको सुप्रभात दोस्तों',
    'अगला दौर रात के खाने के बाद शुरू करेंगे।',
    'अगर आप शनिवार को हमारे साथ खेलना चाहते हैं तो सूची में अपना नाम लिखिए और बताइए कि आपको कौन सी भूमिका चाहिए।',
  ],
  ar: [
    'صباح الخير جميعا',
    'سنبدأ الجولة القادمة بعد العشاء مباشرة.',
    'إذا أردت أن تلعب معنا يوم السبت فاكتب اسمك في القائمة وأخبرنا أي دور تفضل أن تأخذ.',
  ],
  he: [
    'בוקר טוב לכולם',
    'נתחיל את הסיבוב הבא מיד אחרי ארוחת הערב.',
    'אם בא לך לשחק איתנו בשבת, תרשום את השם שלך ברשימה ותגיד לנו איזה תפקיד היית רוצה לקבל.',
  ],
  ja: [
    'みなさん、おはよう',
    '晩ごはんのあとで次の試合を始めましょう。',
    '土曜日にいっしょに遊びたい人は、リストに名前を書いて、どの役をやりたいか教えてください。',
  ],
  ko: [
    '모두 좋은 아침이에요',
    '다음 판은 저녁을 먹고 나서 시작합시다.',
    '토요일에 같이 게임을 하고 싶으면 목록에 이름을 적고 어떤 역할을 맡고 싶은지 알려 주세요.',
  ],
  zh: [
    '大家早上好',
    '吃完晚饭以后我们开始下一局。',
    '如果你星期六想和我们一起玩，请把名字写在名单上，并告诉我们你想要什么角色。',
  ],
};

/** Short English as it is written in a chat, of which a word or a name may look like another language. */
export const CHAT_LINES: readonly string[] = [
  ...['lol', 'gg wp', 'ok', 'hi', 'hello', 'thanks', 'yes', 'no', 'brb afk', 'Hey guys', 'what', 'nice shot'],
  ...['lets go', 'haha', 'see you later', 'pizza', 'I love pizza', 'lmao that was insane', 'good night', 'xd', 'omw'],
  ...['Aria said hi', 'bot go away', 'Hello Peter how are you', 'test test', 'This is a test.', 'hello world'],
  ...['Speak louder please', 'one two three', 'Hello there, this is a long text', 'first', 'Joined the channel'],
  ...['anyone on?', 'who wants to play', 'im back', 'wait for me', 'he is dead lol', 'push mid now', 'dont die'],
  ...['u there?', 'nah im good', 'bruh moment', 'that boss is so annoying', 'cya tmrw', 'Anna left'],
  ...['my mic is broken', 'can you hear me', 'gimme a sec', 'rip', 'sorry wrong channel', 'Hello, world!'],
  ...['The quick brown fox', 'It works.', 'A text to speak', 'Second text', 'Part two', 'How about tea?'],
  ...['Never mind', 'no idea', 'Mario Kart later?', 'La La Land was good'],
];

/** What people write to one another by name: a name alone looks like many languages. */
export const GREETINGS: Readonly<Record<string, readonly string[]>> = {
  en: [
    'Hello Anna',
    'Hi Lena',
    'Good morning Olga',
    'Thanks Pia',
    'Thank you Marta',
    'Hey Sven',
    'Good night Luca',
    'Bye Karin',
    'Sorry Jan',
    'Well done Nina',
    'Welcome back Ingrid',
    'See you Tom',
    'Happy birthday Elena',
    'Hello Mehmet',
    'Nice one Katarina',
    'Good luck Zoltan',
  ],
  de: ['Hallo Anna', 'Guten Morgen Olga', 'Danke Pia', 'Gute Nacht Lena', 'Tschüss Sven', 'Guten Abend Marta'],
  es: ['Hola Pedro', 'Buenos días Ana', 'Gracias Pia', 'Buenas noches Lena', 'Hasta luego Juan'],
  fr: ['Bonjour Anna', 'Merci Pia', 'Bonne nuit Lena', 'Salut Olga', 'À demain Marie'],
  it: ['Ciao Anna', 'Buongiorno Olga', 'Grazie Pia', 'Buona notte Lena'],
  pt: ['Olá Anna', 'Bom dia Olga', 'Obrigado Pia', 'Boa noite Lena'],
  nl: ['Hallo Anna', 'Goedemorgen Olga', 'Dank je Pia', 'Welterusten Lena'],
  sv: ['Hej Anna', 'God morgon Olga', 'Tack Pia'],
  pl: ['Cześć Anna', 'Dzień dobry Olga', 'Dziękuję Pia'],
  cs: ['Ahoj Anna', 'Dobré ráno Olga', 'Děkuji Pia'],
  tr: ['Merhaba Anna', 'Günaydın Olga', 'Teşekkürler Pia'],
  ro: ['Bună Anna', 'Mulțumesc Pia'],
  hu: ['Szia Anna', 'Jó reggelt Olga', 'Köszönöm Pia'],
  fi: ['Hei Anna', 'Hyvää huomenta Olga', 'Kiitos Pia'],
  vi: ['Chào Anna', 'Cảm ơn Pia'],
  id: ['Halo Anna', 'Selamat pagi Olga', 'Terima kasih Pia'],
};
