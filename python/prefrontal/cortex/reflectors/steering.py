"""Words that try to steer the judge, in the ten languages most used, and marks between turns."""

from __future__ import annotations

import re

from .disguises import readings

_GAP = r"[^.!?。！？।؟\n]{0,40}"
_SHORT = r"[^.!?。！？।؟\n]{0,20}"
_MOST = r"(?:\d|max|máx|макс|最高|满|अधिकतम|أقصى|সর্বোচ্চ|زیادہ)"

_ENGLISH = (
    r"(?<!not )(?<!n't )(?<!never )\b(?:ignore|disregard|forget)"
    r" (?:all |any |your |the |these |previous |prior |earlier )+"
    r"(?:instructions?|rules?|prompts?|messages?)",
    r"\b(?:set|raise|increase|change|put|make|rate|score|give)\b[^.!?\n]{0,40}"
    r"\b(?:trust|rating|score|reputation)\b[^.!?\n]{0,20}(?:\d|max|high|full)",
    r"\btrust\b[\"']?\s{0,3}[:=]\s{0,3}[+-]?\d",
    r"\b(?:system prompt|you are now|new instructions?:|as your (?:operator|developer))",
)
_INSTRUCTIONS = (
    rf"(?:忽略|无视|不要理会|忘记){_GAP}(?:指令|指示|规则|提示)",
    rf"(?:निर्देश|नियम){_GAP}(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल जा)",
    rf"\b(?:ignor[ae]d?|olvid[ae]|olviden|descart[ae])\b{_GAP}\b(?:instrucciones|reglas|órdenes)",
    rf"\b(?:ignore[sz]?|ignorer|oublie[sz]?)\b{_GAP}\b(?:instructions|consignes|règles)",
    rf"(?:تجاهل|انس){_GAP}(?:تعليمات|أوامر|قواعد)",
    rf"(?:নির্দেশ|নিয়ম){_GAP}(?:উপেক্ষা|ভুলে যা)",
    rf"\b(?:ignor[ae]|ignorem|esqueça|esqueçam|esquece|desconsidere)\b{_GAP}\b(?:instruções|regras)",
    rf"\b(?:игнорируй|проигнорируй|забудь)(?:те)?\b{_GAP}\b(?:инструкци|указани|правил)",
    rf"(?:ہدایات|قواعد|احکامات){_GAP}(?:نظر ?انداز|بھول جا)",
)
_TRUST = (
    rf"(?:设|调|提高|提升|改){_SHORT}信任{_SHORT}{_MOST}|信任{_SHORT}(?:设|调|提高|提升|改){_SHORT}{_MOST}",
    rf"(?:विश्वास|भरोसा|भरोसे){_SHORT}{_MOST}{_SHORT}(?:सेट|कर दो|करो|करें|बढ़ा|रखो|रखें)",
    rf"\b(?:pon|sube|aumenta|fija|ajusta|establece){_GAP}\bconfianza\b{_SHORT}{_MOST}",
    rf"\b(?:mets|mettez|fixe|fixez|augmente|augmentez|monte|montez){_GAP}\bconfiance\b{_SHORT}{_MOST}",
    rf"(?:اجعل|ارفع|اضبط){_GAP}(?:ثقة|الثقة|ثقتي|ثقتك){_SHORT}{_MOST}",
    rf"(?:বিশ্বাস|আস্থা){_SHORT}{_MOST}{_SHORT}(?:কর|সেট|বাড়া)",
    rf"\b(?:coloque|defina|aumente|ajuste|suba|ponha){_GAP}\bconfiança\b{_SHORT}{_MOST}",
    rf"\b(?:поставь|установи|подними|повысь|увеличь)(?:те)?\b{_GAP}\bдовери\w{{0,3}}\b{_SHORT}{_MOST}",
    rf"(?:اعتماد|بھروسہ|بھروسا){_SHORT}{_MOST}{_SHORT}(?:کر دو|کریں|سیٹ|بڑھا)",
)
_RULES_GONE = (
    r"\b(?:ignore|disregard|forget|override)\b[^.!?\n]{0,30}"
    r"\b(?:you were (?:told|given)|your (?:guidelines|rules|instructions))",
    rf"\byour (?:old|previous|prior|earlier)? ?(?:rules|instructions|guidelines)\b{_SHORT}"
    r"\b(?:no longer|don't|do not) (?:apply|count|hold)",
    rf"你{_SHORT}(?:规则|指令|指示|规定){_SHORT}(?:失效|无效|作废)",
    rf"(?:忽略|无视|忘记|不要理会){_SHORT}你{_SHORT}(?:规定|规则|指示|指令)",
    rf"(?:तुम्हारे|आपके){_SHORT}(?:नियम|निर्देश){_SHORT}(?:लागू नहीं|नहीं रहे)",
    rf"\btus (?:reglas|instrucciones)\b{_SHORT}\bya no (?:valen|sirven|cuentan|se aplican)",
    rf"\btes\b{_SHORT}\b(?:règles|consignes|instructions)\b{_SHORT}\bne (?:valent|comptent) plus",
    rf"(?:قواعدك|تعليماتك){_SHORT}(?:لم تعد|لا تسري|ملغاة)",
    rf"(?:তোমার|আপনার){_SHORT}(?:নিয়ম|নির্দেশ){_SHORT}(?:আর চলে না|বাতিল)",
    rf"\b(?:suas|tuas) (?:regras|instruções)\b{_SHORT}\bjá não (?:valem|contam)",
    rf"\b(?:твои|ваши)\b{_SHORT}\b(?:правила|инструкции)\b{_SHORT}больше не действу",
    rf"(?:تمہارے|آپ کے){_SHORT}(?:قواعد|احکامات){_SHORT}(?:لاگو نہیں|ختم)",
)
_ONLY_ME = (
    r"\b(?:obey|follow|listen to)\b (?:only|nobody but) (?:me|my)\b",
    r"只(?:听|服从)我",
    r"(?:सिर्फ़|सिर्फ|केवल) मेरी (?:बात )?(?:मानो|मानिए|सुनो)",
    r"\bs[oó]lo (?:me )?(?:obede\w+|haz(?:me)? caso)|\bobede\w+ s[oó]lo a m[ií]",
    r"\bn['’]obéi\w+ qu['’]à moi|\bobéi\w+ (?:seulement|uniquement) à moi",
    r"(?:أطعني|أطع) (?:أنا )?فقط|أطعني أنا وحدي",
    r"শুধু আমার কথা (?:শোনো|শুনুন|মানো|মানুন)",
    r"\bobede\w+ (?:só|apenas|somente) a mim",
    r"\bслуша(?:йся|йтесь) только меня",
    r"صرف میری بات (?:مانو|مانیں|سنو)",
)
_FULL_MARKS = (
    r"\bgive me\b[^.!?\n]{0,20}\b(?:highest|best|top|full)\b[^.!?\n]{0,20}"
    r"\b(?:trust|rating|score|reputation)",
    r"\b(?:rate|score|mark) me\b[^.!?\n]{0,30}(?:\btrust|\d)",
    rf"(?:给我|把我|将我){_SHORT}(?:信任|信誉){_SHORT}(?:\d|最高|满|高)",
    rf"मुझे {_SHORT}(?:विश्वास|भरोसे){_SHORT}(?:अंक|\d)",
    r"\b(?:ponme|dame|súbeme)\b[^.!?\n]{0,20}\b(?:máxim[ao]|\d+)\b[^.!?\n]{0,12}\bconfianza",
    r"\b(?:mets|donne)[- ]moi\b[^.!?\n]{0,30}\bconfiance",
    rf"أعطني{_SHORT}(?:الثقة|ثقة)",
    rf"(?:বিশ্বাসে|আস্থায়|আস্থা){_SHORT}(?:আমাকে{_SHORT}[0-9০-৯]|সর্বোচ্চ)",
    r"\b(?:dê-me|dá-me|me dê)\b[^.!?\n]{0,20}\bconfiança",
    rf"\b(?:дай|дайте|поставь|поставьте) мне\b{_SHORT}\bдовери",
    rf"مجھے {_SHORT}(?:اعتماد|بھروسے) میں{_SHORT}\d",
)
_ANY_RULES = (
    rf"(?:निर्देश|नियम){_SHORT}भूल जा",
    r"\b(?:olvid[ae]|olviden)\b[^.!?\n]{0,20}\b(?:todas|tus)\b[^.!?\n]{0,20}\b(?:reglas|instrucc)",
    rf"انس{_SHORT}(?:القواعد|قواعد|التعليمات)",
    rf"(?:قواعد|ہدایات){_SHORT}(?:بھول جاؤ|بھول جائیں)",
)
_AUTHORITY = (
    r"\b(?:pretend|imagine|assume|suppose|act as if)\b[^.!?\n]{0,12}"
    r"\bI(?:'m| am| was| were)\b[^.!?\n]{0,6}"
    r"\byour (?:admin|operator|developer|owner|creator|maker|boss|master)",
    r"(?:假装|假设|当作|想象)我是你的?(?:管理员|主人|开发者|创造者|老板|操作员)",
    rf"मान (?:लो|लीजिए){_SHORT}मैं (?:तुम्हारा|आपका) (?:प्रशासक|मालिक|निर्माता|डेवलपर)",
    r"\b(?:finge|finja|imagina|supón|haz como si)\b[^.!?\n]{0,12}\b(?:soy|fuera) tu "
    r"(?:admin|dueñ|cread|jef|desarroll|operad)",
    r"\b(?:fais|faites) comme si j['’](?:étais|etais) (?:ton|votre) "
    r"(?:admin|propri|créat|chef|patron|dévelop|opérat)",
    rf"(?:تظاهر|افترض|تخيل){_SHORT}(?:أنني|أني|بأنني|بأني){_SHORT}(?:مدير|المدير|مالك|المسؤول|مطور|صاحب)",
    r"(?:ধরে নাও|ভাবো|মনে করো) আমি (?:তোমার|আপনার) (?:প্রশাসক|মালিক|নির্মাতা|ডেভেলপার)",
    r"\b(?:finja|finge|imagine|faça de conta)\b[^.!?\n]{0,8}\bsou o (?:seu|teu) "
    r"(?:admin|don|criad|chef|desenv|operad)",
    r"\b(?:представь|вообрази|считай|допустим)(?:те)?,? (?:что )?я тво[йя] "
    r"(?:админ|хозя|владел|создат|начальн|разработ|операт)",
    rf"فرض (?:کرو|کریں|کیجیے){_SHORT}میں (?:تمہارا|آپ کا) (?:منتظم|مالک|خالق|ڈویلپر)",
)
_NOTES_OF_ME = (
    r"\b(?:write|note|put|record|remember|store)\b[^.!?\n]{0,16}\byour (?:notes|memory|file|record)"
    r"[^.!?\n]{0,12}\bthat I(?:'m| am)\b",
    rf"你的?(?:笔记|记忆|记录){_SHORT}我(?:很|是|非常|最)",
    r"(?:अपने|तुम्हारे) (?:नोट|याद)\S{0,4} में (?:लिख|रख)\S{0,3} कि मैं",
    r"\b(?:tus|sus) (?:notas|apuntes|registros)\b[^.!?\n]{0,6}\bque (?:yo )?soy\b",
    r"\b(?:tes|vos) (?:notes|fiches)\b[^.!?\n]{0,6}\bque je suis\b",
    r"(?:ملاحظاتك|ذاكرتك|سجلك) (?:أنني|أني|بأنني)",
    r"(?:তোমার|আপনার) (?:নোটে|স্মৃতিতে) (?:লেখো|লিখুন|রাখো) (?:যে )?আমি",
    r"\b(?:suas|tuas) (?:notas|anotações)\b[^.!?\n]{0,6}\bque (?:eu )?sou\b",
    r"\bв (?:своих |твоих )?(?:заметках|записях|памяти),? что я\b",
    r"(?:اپنے|تمہارے) (?:نوٹ|یادداشت)\w{0,3} میں (?:لکھو|لکھیں|رکھو) کہ میں",
)
_SYSTEM_GONE = (
    r"\b(?:ignore|disregard|do not follow|don't follow|disobey)\b[^.!?\n]{0,12}"
    r"\bsystem (?:message|prompt|instruction)",
    r"(?:不要|别|停止)(?:再)?(?:遵守|遵循|听从){_SHORT}(?:系统|提示|指令)".replace(
        "{_SHORT}", _SHORT
    ),
    rf"सिस्टम के (?:आदेश|संदेश|निर्देश){_SHORT}(?:नज़रअंदाज़|नजरअंदाज|अनदेखा|मत मान)",
    r"\b(?:no sigas|ignora|desobedece)\b[^.!?\n]{0,10}"
    r"\b(?:mensaje|indicaci\w+|instrucci\w+) del sistema",
    r"\bhaz caso omiso de (?:tus|las) (?:instrucciones|reglas)",
    r"\b(?:ignore[sz]?|ne suis pas|n['’]écoute pas)\b[^.!?\n]{0,10}"
    r"\b(?:message|consigne|invite)s? du système",
    r"\bne (?:tiens|tenez) pas compte de (?:tes|vos) (?:instructions|consignes|règles)",
    rf"(?:تجاهل|لا تتبع){_SHORT}(?:رسالة|أوامر|تعليمات) النظام|لا تتبع (?:تعليماتك|قواعدك)",
    rf"সিস্টেমের (?:বার্তা|নির্দেশ|আদেশ){_SHORT}(?:মেনো না|মানবে না|উপেক্ষা)",
    r"\bnão (?:siga|sigas|obedeça)\b[^.!?\n]{0,10}\b(?:mensagem|instruç\w+|ordem) do sistema",
    r"\bне (?:обращай|обращайте) внимания на (?:свои |твои )?(?:инструкци|правил|указани)",
    rf"سسٹم کے (?:پیغام|حکم|ہدایات){_SHORT}(?:مت مان|نظر ?انداز)",
)
_MARKS = (
    r"<\s?\|\s?(?:im_start|im_end|system|assistant|start_header_id)",
    r"<\|[a-z]{2,12}(?:_[a-z]{2,12}){0,3}\|>",
    r"\[\s?/?INST\s?\]",
    r"<<\s?/?SYS\s?>>",
)
_STEERING = re.compile(
    "|".join(
        (
            *_ENGLISH,
            *_INSTRUCTIONS,
            *_TRUST,
            *_RULES_GONE,
            *_ONLY_ME,
            *_FULL_MARKS,
            *_ANY_RULES,
            *_AUTHORITY,
            *_NOTES_OF_ME,
            *_SYSTEM_GONE,
            *_MARKS,
        )
    ),
    re.IGNORECASE,
)


_FIELD = re.compile(
    r"\b(peer_id|target_peer|rationale|assessments?|beliefs?|directives|commitments|soul_alignment"
    r"|trust)\b[\"']?\s{0,3}[:=]"
)
"""What a reflector answers with; an ordinary message may have one of them."""
_ROLE = re.compile(
    r"^\W{0,6}(?:system|assistant|developer|sistema|asistente|assistente|système|系统|助手|система"
    r"|ассистент|النظام|المساعد|सिस्टम|सहायक|সিস্টেম|সহকারী|سسٹم|معاون)\W{0,3}[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_TRUST_WORD = re.compile(
    r"\btrust|\breputation|confian|довери|信任|信誉|विश्वास|भरोस|ثقة|ثقت|اعتماد|بھروس|আস্থা|বিশ্বাস",
    re.IGNORECASE,
)
_VALUE = re.compile(r"[+\u2212-]\s?(?:10|[1-9])(?!\d)|(?<!\d)10\s?/\s?10(?!\d)|(?<!\d)100\s?%")
_NEAR = 12


def steers(text: str, name: str = "") -> bool:
    """Whether it asks to be trusted by a number, tells to ignore the rules, or forges a turn.

    By words, in ten languages, and by shape in any: a turn of the system or the assistant that
    speaks of trust and gives a value, a value beside trust in a message that speaks of its own
    sender, two fields of a reflector's answer. Both also where it is encoded or in disguise.
    name: the sender's id; "" where it is not known.
    """
    return any(
        _STEERING.search(each) is not None or _has_shape(each, name) for each in readings(text)
    )


def _has_shape(text: str, name: str) -> bool:
    if len({match[1] for match in _FIELD.finditer(text)}) > 1:
        return True
    speaks = list(_TRUST_WORD.finditer(text))
    values = list(_VALUE.finditer(text)) if speaks else []
    if not values:
        return False
    if _ROLE.search(text):
        return True
    is_near = any(
        -_NEAR <= value.start() - word.end() <= _NEAR for value in values for word in speaks
    )
    return (
        is_near and bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
    )
