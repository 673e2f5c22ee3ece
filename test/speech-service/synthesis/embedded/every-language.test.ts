import { describe, expect, test } from 'vitest';
import { loadLanguageDetector } from '../../../../src/language/detection.ts';
import { ESPEAK_SAMPLE_RATE_HZ, loadEspeak } from '../../../../src/speech-service/synthesis/embedded/espeak.ts';
import { loadJapanese } from '../../../../src/speech-service/synthesis/embedded/japanese.ts';
import { espeakLanguages, languageRuns } from '../../../../src/speech-service/synthesis/embedded/language.ts';
import { SENTENCES } from '../../../language/sentences.ts';

/** Besides the languages of the benchmark's sentences. */
const SAMPLES: Readonly<Record<string, string>> = {
  da: 'Jeg kommer hjem i aften, og så spiller vi noget sammen.',
  no: 'Jeg vet ikke hva jeg skal gjøre i kveld, men jeg kommer gjerne hjem til deg.',
  sk: 'Neviem, čo budeme dnes večer robiť, ale rád prídem k tebe.',
  hr: 'Ne znam što ćemo raditi večeras, ali rado dolazim k tebi.',
  sl: 'Ne vem, kaj bomo počeli nocoj, vendar z veseljem pridem k tebi.',
  lt: 'Nežinau, ką veiksime šį vakarą, bet mielai ateisiu pas tave.',
  lv: 'Es nezinu, ko mēs šovakar darīsim, bet labprāt atnākšu pie tevis.',
  et: 'Ma ei tea, mida me täna õhtul teeme, aga tulen hea meelega.',
  sq: 'Nuk e di se çfarë do të bëjmë sonte, por do të vij me kënaqësi.',
  is: 'Ég veit ekki hvað við gerum í kvöld, en ég kem gjarnan til þín.',
  ca: 'No sé què farem aquest vespre, però vindré amb molt de gust.',
  eu: 'Ez dakit zer egingo dugun gaur gauean, baina pozik etorriko naiz.',
  az: 'Bu axşam nə edəcəyimizi bilmirəm, amma məmnuniyyətlə gələrəm.',
  bg: 'Не знам какво ще правим тази вечер, но ще дойда с удоволствие.',
  sr: 'Не знам шта ћемо радити вечерас, али радо долазим код тебе.',
  be: 'Не ведаю, што мы будзем рабіць сёння ўвечары, але прыйду.',
  fa: 'نمی‌دانم امشب چه کار می‌کنیم، ولی با کمال میل می‌آیم.',
  ur: 'مجھے نہیں معلوم کہ ہم آج رات کیا کریں گے، لیکن میں خوشی سے آؤں گا۔',
  mr: 'आज संध्याकाळी आपण काय करणार आहोत ते मला माहीत नाही.',
  bn: 'সবাইকে সুপ্রভাত, আমরা কি খেলব?',
  pa: 'ਸਾਰਿਆਂ ਨੂੰ ਸ਼ੁਭ ਸਵੇਰ, ਖੇਡੀਏ?',
  gu: 'બધાને સુપ્રભાત, આપણે રમીએ?',
  or: 'ସମସ୍ତଙ୍କୁ ଶୁଭ ସକାଳ, ଖେଳିବା?',
  ta: 'அனைவருக்கும் காலை வணக்கம், விளையாடலாமா?',
  te: 'అందరికీ శుభోదయం, ఆడదామా?',
  kn: 'ಎಲ್ಲರಿಗೂ ಶುಭೋದಯ, ಆಡೋಣವೇ?',
  ml: 'എല്ലാവർക്കും സുപ്രഭാതം, കളിക്കാമോ?',
  si: 'සියලු දෙනාට සුභ උදෑසනක්, සෙල්ලම් කරමුද?',
  th: 'สวัสดีตอนเช้าทุกคน เล่นกันไหม',
  my: 'အားလုံး မင်္ဂလာပါ ကစားကြမလား',
  am: 'ሰላም ለሁሉም እንጫወት',
  ka: 'დილა მშვიდობისა ყველას, ვითამაშოთ?',
  hy: 'Բարի լույս բոլորին, խաղա՞նք',
};
/** Other names of eSpeak NG. */
const NAMES: Readonly<Record<string, string>> = { en: 'en-us', zh: 'cmn', no: 'nb' };
/** How it begins to spell: 'Chinese letter', 'Arabic …' in English, 'letter five zero'. */
const SPELLED = /\(en\)|l'et@|l,Et3|tipa_\|/u;

const detector = await loadLanguageDetector();
const espeak = await loadEspeak();
const tools = { detector, readJapanese: loadJapanese() };

function said(text: string) {
  const runs = languageRuns(text, 'en-us', tools).map(({ text, language }) => ({
    language,
    phonemes: espeak.phonemes(text, language),
    samples: espeak.speak({ text, voice: `${language}+f2`, wordsPerMinute: 165, pitch: 50, pitchRange: 50 }).length,
  }));
  const samples = runs.reduce((sum, run) => sum + run.samples, 0);
  return {
    languages: [...new Set(runs.map(({ language }) => language))],
    phonemes: runs.map(({ phonemes }) => phonemes).join('\n'),
    msPerLetter: (1_000 * samples) / ESPEAK_SAMPLE_RATE_HZ / (text.match(/[\p{L}\p{M}]/gu) ?? []).length,
  };
}

describe('every language that the built-in voice calls its own', () => {
  test.each(espeakLanguages(true))('%s is spoken as that, at the pace of speech, not spelled out', (language) => {
    const sample = SAMPLES[language] ?? SENTENCES[language]?.at(-1) ?? '';
    const { languages, phonemes, msPerLetter } = said(sample);
    expect(languages).toEqual([NAMES[language] ?? language]);
    expect(phonemes).not.toMatch(SPELLED);
    // Spelled out, a letter takes half a second and more; a Chinese character is a syllable.
    expect(msPerLetter).toBeGreaterThan(40);
    expect(msPerLetter).toBeLessThan(300);
  });

  test('Kurdish in Arabic letters is read as Persian', () => {
    const { languages, phonemes } = said('بەیانیتان باش هەمووتان، چۆنن؟ ژیانێکی خۆش، گوڵ و ڕێگا');
    expect(languages).toEqual(['fa']);
    expect(phonemes).not.toMatch(SPELLED);
  });
});
