"""Words that try to steer the judge, in the ten languages most used, and marks between turns."""

from __future__ import annotations

import re

_GAP = r"[^.!?。！？।؟\n]{0,40}"
_SHORT = r"[^.!?。！？।؟\n]{0,20}"
_MOST = r"(?:\d|max|máx|макс|最高|满|अधिकतम|أقصى|সর্বোচ্চ|زیادہ)"

_ENGLISH = (
    r"\b(?:ignore|disregard|forget) (?:all |any |your |the |these |previous |prior |earlier )+"
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
_MARKS = (
    r"<\s?\|\s?(?:im_start|im_end|system|assistant|start_header_id)",
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
            *_MARKS,
        )
    ),
    re.IGNORECASE,
)


def steers(text: str) -> bool:
    """Whether it asks to be trusted by a number, tells to ignore the rules, or forges a turn."""
    return _STEERING.search(text) is not None
