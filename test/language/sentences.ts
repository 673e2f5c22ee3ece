/**
 * What people write in a chat, in 25 languages: a sentence of about three words and one of about seven. They are no
 * translations of each other, so that each language has its own everyday words.
 */
export const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  en: ['Good morning everyone', 'We should start the next round before dinner.'],
  es: ['Hola, cómo estás', 'Mañana empezamos la partida después de cenar.'],
  de: ['Guten Morgen zusammen', 'Wir fangen nach dem Abendessen mit der nächsten Runde an.'],
  fr: ['Bonjour tout le monde', 'On commence la prochaine partie après le dîner.'],
  it: ['Buongiorno a tutti', 'Cominciamo la prossima partita dopo cena.'],
  pt: ['Bom dia pessoal', 'Vamos começar a próxima rodada depois do jantar.'],
  nl: ['Goedemorgen allemaal samen', 'We beginnen na het eten met de volgende ronde.'],
  sv: ['God morgon allihopa', 'Vi börjar nästa runda efter middagen.'],
  pl: ['Dzień dobry wszystkim', 'Następną rundę zaczynamy zaraz po kolacji.'],
  cs: ['Dobré ráno všem', 'Další kolo začneme hned po večeři.'],
  ru: ['Доброе утро всем', 'Следующий раунд начнём сразу после ужина.'],
  uk: ['Доброго ранку всім', 'Наступний раунд почнемо одразу після вечері.'],
  tr: ['Herkese günaydın arkadaşlar', 'Bir sonraki tura akşam yemeğinden sonra başlıyoruz.'],
  el: ['Καλημέρα σε όλους', 'Ο επόμενος γύρος αρχίζει αμέσως μετά το φαγητό.'],
  ro: ['Bună dimineața tuturor', 'Începem runda următoare imediat după cină.'],
  hu: ['Jó reggelt mindenkinek', 'A következő kört vacsora után kezdjük.'],
  fi: ['Hyvää huomenta kaikille', 'Seuraava kierros alkaa heti päivällisen jälkeen.'],
  vi: ['Chào buổi sáng mọi người', 'Chúng ta bắt đầu ván tiếp theo sau bữa tối.'],
  id: ['Selamat pagi semuanya', 'Ronde berikutnya kita mulai setelah makan malam.'],
  hi: ['सबको सुप्रभात दोस्तों', 'अगला दौर रात के खाने के बाद शुरू करेंगे।'],
  ar: ['صباح الخير جميعا', 'سنبدأ الجولة القادمة بعد العشاء مباشرة.'],
  he: ['בוקר טוב לכולם', 'נתחיל את הסיבוב הבא מיד אחרי ארוחת הערב.'],
  ja: ['みなさん、おはよう', '晩ごはんのあとで次の試合を始めましょう。'],
  ko: ['모두 좋은 아침이에요', '다음 판은 저녁을 먹고 나서 시작합시다.'],
  zh: ['大家早上好', '吃完晚饭以后我们开始下一局。'],
};

/** What people write to one another by name: a name alone looks like many languages. */
export const GREETINGS: Readonly<Record<string, readonly string[]>> = {
  en: [
    ...['Hello Anna', 'Hi Lena', 'Good morning Olga', 'Thanks Pia', 'Thank you Marta', 'Hey Sven', 'Good night Luca'],
    ...['Bye Karin', 'Sorry Jan', 'Well done Nina', 'Welcome back Ingrid', 'See you Tom', 'Happy birthday Elena'],
    ...['Hello Mehmet', 'Nice one Katarina', 'Good luck Zoltan'],
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
