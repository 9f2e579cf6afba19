"""Given and family names by origin: hand-made lists, so that a course meets many cultures and not only one.

Each origin: names given to girls, names given to boys, family names, separated by commas. No full name here
belongs to anyone in particular: a name is a random draw from both lists.
"""

from typing import NamedTuple


class NameList(NamedTuple):
    """What the names of one origin look like."""

    region: str  # where most students with such names come from
    girls: tuple[str, ...]
    boys: tuple[str, ...]
    families: tuple[str, ...]
    family_first: float = 0.0  # share of students who write the family name first
    single: float = 0.0  # share of students with one name only


def _origin(
    region: str, girls: str, boys: str, families: str, *, family_first: float = 0.0, single: float = 0.0
) -> NameList:
    return NameList(
        region=region,
        girls=tuple(girls.split(", ")),
        boys=tuple(boys.split(", ")),
        families=tuple(families.split(", ")),
        family_first=family_first,
        single=single,
    )


NAMES: dict[str, NameList] = {
    "english": _origin(
        "North America",
        "Olivia, Charlotte, Amelia, Imogen, Grace, Poppy, Hope, Rose, Megan, Abigail, Hannah, Lucy, "
        "Holly, Bethany, Jessica, Paige, Siobhán, Niamh, Caoimhe, Aoife, Kayleigh, Mary-Jane",
        "Oliver, Harry, Jack, Mark, Will, Toby, Callum, Liam, Connor, Dylan, Ryan, Ethan, Nathan, "
        "Elliot, Gareth, Rhys, Seán, Cillian, Drew, Frank, Declan, Jayden",
        "Ashworth, Bancroft, Carmichael, Dunmore, Eastwood, Fairclough, Garfield, Hathaway, Ingram, "
        "Jellicoe, Kilpatrick, Lockwood, Merriweather, Northcote, Osborne, Pemberton, Quigley, "
        "Ravenscroft, Shackleton, Thistlewood, Underhill, Vickers, Whitcombe, Yardley, O'Sullivan, "
        "O'Donoghue, MacAllister, McTavish, Fitzgerald, Smith-Barlow, Young, King, Long, Winterbourne, "
        "Holloway, Braithwaite, Hargreaves, Penhaligon, Llewellyn, Prendergast",
    ),
    "german": _origin(
        "Europe",
        "Annika, Britta, Franziska, Gisela, Heike, Ingrid, Johanna, Katharina, Liesel, Mareike, Nele, "
        "Petra, Ricarda, Sabine, Tanja, Ulrike, Wiebke, Lena, Jördis, Käthe",
        "Anselm, Bernd, Detlef, Eberhard, Florian, Günther, Heinrich, Jürgen, Klaus, Lothar, Matthias, "
        "Norbert, Ottokar, Rüdiger, Sebastian, Thorsten, Udo, Volker, Wolfgang, Björn-Ole",
        "Achterberg, Baumgartner, Czerny, Dörfler, Eichendorff, Fuchsberger, Grünwald, Hohenstein, "
        "Jäger, Kaltenbach, Lindemann, Morgenroth, Nußbaum, Oberländer, Pfeiffer, Quandt, Rosenthal, "
        "Schäfer, Tannhäuser, Uhlig, Vogelsang, Weißgerber, Zimmermann, Köhler, Lüdenscheidt, "
        "Brüggemann, Steinmetz, Wolkenstein, von Bergheim, von der Heide, Müller-Lüdke, Krämer, "
        "Ziegler, Hübner, Ackermann, Dietrichsen, Fröhlich, Gerstenberg, Kupferschmidt, Wachtmeister",
    ),
    "dutch": _origin(
        "Europe",
        "Anneke, Berendina, Femke, Geertje, Hanneke, Ilse, Jantien, Liesbeth, Maaike, Noortje, Roos, "
        "Saskia, Tineke, Willemijn, Fleur, Marloes, Sanne, Wieke, Lotte, Jikke",
        "Adriaan, Bartholomeus, Cornelis, Diederik, Evert, Floris, Gijsbert, Hendrik, Joost, Koenraad, "
        "Lodewijk, Maurits, Pieter, Reinier, Sjoerd, Teunis, Wouter, Jelle, Sietse, Thijs",
        "van der Berg, van den Heuvel, van Rijn, de Groot, de Wit, ter Horst, Achterhuis, Bakhuizen, "
        "Dijkhuis, Eikelboom, Goudsmit, Haverkamp, Ijsselstein, Jongbloed, Kuipers, Leeuwenhoek, "
        "Meijerink, Nieuwenhuis, Oosterhout, Poelstra, Rozendaal, Schouten, Terpstra, Uittenbogaard, "
        "Veenstra, Wagenaar, Zandstra, van 't Hoff, van de Velde, Bosgraaf, Hoekstra, Kloosterman, "
        "Smeets, Vermeulen, Zijlstra, Brouwershaven, Kranenburg, Molenaar, Roelofsen, van Loenen",
    ),
    "french": _origin(
        "Europe",
        "Adélaïde, Bérénice, Céline, Delphine, Éloïse, Françoise, Gaëlle, Hélène, Inès, Jacqueline, "
        "Léa, Manon, Noémie, Océane, Pénélope, Solène, Thaïs, Véronique, Anne-Sophie, Marie-Claude",
        "Aurélien, Benoît, Cédric, Didier, Étienne, François, Gaspard, Hervé, Jérôme, Loïc, Mathieu, "
        "Nicéphore, Olivier, Raphaël, Sylvain, Théo, Yannick, Jean-Luc, Pierre-Yves, Thibault",
        "Archambault, Beauchamp, Chevalier, Dufresne, Escoffier, Fontainebleu, Gauthier, Hébert, "
        "Jaubert, Lefèvre, Marchand, Noël, Ollivier, Perrault, Quesnel, Rousselot, Saint-Clair, "
        "Thibodeaux, Vaillancourt, de la Tour, du Bois, d'Aubigny, d'Artagnan, L'Héritier, Bélanger, "
        "Côté, Delacroix, Ferrand, Guillemette, Lacombe, Montaigne, Pelletier, Rocheteau, Tremblay, "
        "Villeneuve, Boisclair, Carpentier, Desrosiers, Mercier, Fournier",
    ),
    "spanish": _origin(
        "Latin America",
        "Alejandra, Belén, Carmen, Dolores, Esperanza, Fernanda, Guadalupe, Inmaculada, Jimena, "
        "Leticia, Maricruz, Nuria, Paloma, Rocío, Soledad, Ximena, Yolanda, Begoña, María José, Itziar",
        "Álvaro, Benito, Cristóbal, Diego, Emiliano, Facundo, Gonzalo, Hernán, Ignacio, Joaquín, "
        "Leandro, Matías, Nicolás, Octavio, Rodrigo, Santiago, Tomás, Vicente, José Luis, Íñigo",
        "Aguilar, Bermúdez, Cárdenas, Domínguez, Echeverría, Figueroa, Gutiérrez, Hinojosa, Ibáñez, "
        "Jaramillo, Lozano, Mendizábal, Núñez, Ordóñez, Peñaloza, Quintanilla, Restrepo, Saldívar, "
        "Treviño, Urquiza, Villaseñor, Zambrano, de la Cruz, de los Santos, del Río, Castañeda, "
        "Escobedo, Galván, Huerta, Montesinos, Olivares, Pizarro, Robledo, Sepúlveda, Valdivia, Yáñez, "
        "Zúñiga, Arriaga, Belmonte, Calderón",
    ),
    "portuguese": _origin(
        "Latin America",
        "Adriana, Beatriz, Conceição, Débora, Eduarda, Fabiana, Gabriela, Heloísa, Isadora, Jussara, "
        "Larissa, Mônica, Natália, Priscila, Rafaela, Simone, Tatiana, Vitória, Luísa, Ana Clara",
        "Anderson, Bráulio, Caetano, Davi, Evandro, Fabrício, Geraldo, Henrique, Iúri, João, Leonardo, "
        "Murilo, Nélson, Otávio, Paulo, Rogério, Sérgio, Thiago, Valdemar, Zeferino",
        "Albuquerque, Bragança, Cavalcanti, Drummond, Esteves, Ferreira, Guimarães, Henriques, Jardim, "
        "Lacerda, Magalhães, Nascimento, Oliveira, Pimentel, Queiroz, Rezende, Saldanha, Tavares, "
        "Uchôa, Vasconcelos, da Silva, dos Santos, de Souza, do Carmo, Araújo, Barreto, Coutinho, "
        "Dantas, Falcão, Gouveia, Leitão, Monteiro, Noronha, Peixoto, Rebouças, Sampaio, Teixeira, "
        "Valadares, Bittencourt, Figueiredo",
    ),
    "italian": _origin(
        "Europe",
        "Alessia, Benedetta, Chiara, Donatella, Elisabetta, Fiammetta, Giovanna, Ilaria, Ludovica, "
        "Mariangela, Nicoletta, Ornella, Paola, Raffaella, Serena, Teresa, Ursula, Valentina, Zita, "
        "Greta",
        "Alessandro, Bruno, Claudio, Domenico, Enrico, Fabrizio, Giancarlo, Ivano, Jacopo, Lorenzo, "
        "Massimiliano, Niccolò, Ottavio, Pierluigi, Riccardo, Salvatore, Tommaso, Umberto, Vincenzo, "
        "Gennaro",
        "Abbiati, Bellandi, Cavalcante, D'Angelo, De Luca, Della Valle, Esposito, Ferrarese, Giordano, "
        "Iacobucci, Lombardi, Mastroianni, Napolitano, Orsini, Pellegrino, Quaranta, Ricciardi, "
        "Santoro, Tagliabue, Ungaretti, Vespignani, Zanetti, Brambilla, Colaianni, Dell'Acqua, "
        "Fumagalli, Gallo, Lo Presti, Marchetti, Nardelli, Palmieri, Rinaldi, Sorrentino, Trevisan, "
        "Vitale, Bonacci, Carbone, Donati, Ferri, Morandi",
    ),
    "nordic": _origin(
        "Europe",
        "Agnetha, Birgitta, Dagny, Elin, Freja, Guðrún, Helmi, Inger, Jórunn, Kirsten, Linnéa, Maiken, "
        "Næja, Oddny, Päivi, Ragnhild, Sigrid, Tuuli, Åse, Ylva",
        "Aksel, Bjarne, Dagfinn, Einar, Fredrik, Gunnar, Håkon, Ingmar, Jørgen, Kjetil, Leif, Magnus, "
        "Njål, Olav, Pekka, Rasmus, Søren, Torbjørn, Þór, Øystein",
        "Andersson, Bergström, Christoffersen, Dahlgren, Ekelund, Forsberg, Gustafsson, Hämäläinen, "
        "Isaksen, Jónsdóttir, Korhonen, Lindqvist, Mortensen, Nygård, Östlund, Petterson, Rautavaara, "
        "Sandström, Thorvaldsen, Ulvaeus, Virtanen, Westergaard, Åkesson, Ødegård, Mäkinen, Nieminen, "
        "Skarsgård, Sigurðsson, Kjærgaard, Brøndsted, Fjeldstad, Haugen, Ingebrigtsen, Lagerkvist, "
        "Rosendahl, Strømme, Tveit, Vestergård, Grønli, Knutsen",
    ),
    "polish": _origin(
        "Europe",
        "Agnieszka, Bożena, Dorota, Elżbieta, Grażyna, Halina, Iwona, Jadwiga, Kinga, Lidia, "
        "Małgorzata, Natalia, Oliwia, Róża, Stanisława, Urszula, Wioletta, Zofia, Łucja, Żaneta",
        "Andrzej, Bartosz, Czesław, Dariusz, Eryk, Grzegorz, Hubert, Ireneusz, Jarosław, Krzysztof, "
        "Leszek, Mieczysław, Norbert, Przemysław, Radosław, Sławomir, Tadeusz, Wojciech, Zbigniew, "
        "Łukasz",
        "Adamczyk, Borkowski, Chmielewska, Dąbrowski, Gołębiowski, Hryniewicz, Jabłoński, Kaczmarek, "
        "Lewandowski, Maciejewska, Nowakowski, Olszewski, Piątek, Rutkowska, Szczepański, Tomaszewski, "
        "Urbańczyk, Wiśniewski, Zając, Świątek, Żurawski, Łaskarzewski, Błaszczyk, Cieślak, Domańska, "
        "Górecki, Jankowska, Kwiatkowski, Michalak, Niedźwiedzki, Ostrowska, Przybylski, Sikora, "
        "Trzciński, Wróblewska, Zieliński, Wójcik, Kołodziej, Brzęczyszczykiewicz, Głowacka",
    ),
    "ukrainian": _origin(
        "Europe",
        "Anastasiia, Bohdana, Daryna, Halyna, Iryna, Kateryna, Liudmyla, Marichka, Nadiia, Oksana, "
        "Polina, Roksolana, Svitlana, Tetiana, Uliana, Vira, Yaroslava, Zlata, Olha, Khrystyna",
        "Andrii, Bohdan, Danylo, Fedir, Hryhorii, Ihor, Kyrylo, Lubomyr, Mykola, Nazar, Oleksandr, "
        "Petro, Ruslan, Serhii, Taras, Vasyl, Volodymyr, Yevhen, Zakhar, Dmytro",
        "Antonenko, Bondarenko, Chornovil, Dovzhenko, Franchuk, Hrytsenko, Ivanchuk, Kovalenko, "
        "Lysenko, Melnychuk, Nechyporenko, Onyshchenko, Pavlychko, Romaniuk, Shevchuk, Tkachenko, "
        "Usenko, Vynnychuk, Yurchenko, Zabolotnyi, Boiko, Savchenko, Kravets, Oliinyk, Rudenko, Moroz, "
        "Polishchuk, Marchenko, Bilyk, Kostiuk, Panasenko, Sydorenko, Khomenko, Tymoshchuk, Verbytskyi, "
        "Hnatiuk, Dziuba, Kucherenko, Zinchenko, Stelmakh",
    ),
    "hungarian": _origin(
        "Europe",
        "Anikó, Borbála, Csilla, Dorottya, Emese, Fruzsina, Gyöngyi, Hajnalka, Ibolya, Jolán, Kinga, "
        "Ludmilla, Márta, Noémi, Orsolya, Piroska, Réka, Szilvia, Tünde, Zsuzsanna",
        "Attila, Balázs, Csaba, Dezső, Endre, Ferenc, Gergő, Huba, Imre, Jenő, Kálmán, László, Miklós, "
        "Nándor, Ödön, Péter, Rezső, Szabolcs, Tibor, Zsigmond",
        "Almási, Bartók, Csonka, Dobrovszky, Erdélyi, Fehérvári, Gárdonyi, Horváth, Illés, Juhász, "
        "Kocsis, Lukács, Mészáros, Németh, Orbán, Pásztor, Rákosi, Szentgyörgyi, Takács, Újvári, "
        "Vörösmarty, Zalatnay, Bíró, Czigány, Deák, Fekete, Gulyás, Hegedűs, Jókai, Kerekes, Lőrincz, "
        "Makkai, Nyilas, Pintér, Somogyi, Szűcs, Tóth, Varró, Zámbó, Kertész",
        family_first=0.5,
    ),
    "turkish": _origin(
        "Middle East and Africa",
        "Ayşe, Büşra, Cansu, Dilek, Elif, Fatma, Gülşah, Havva, İpek, Kübra, Leyla, Meryem, Nurgül, "
        "Özlem, Pınar, Rüveyda, Sibel, Tuğba, Yasemin, Zeynep",
        "Ahmet, Burak, Cengiz, Doğan, Emre, Furkan, Gökhan, Hakan, İbrahim, Kerem, Levent, Mustafa, "
        "Nihat, Orhan, Ömer, Rıza, Serkan, Tolga, Uğur, Yiğit",
        "Aydoğan, Başaran, Çelik, Demirtaş, Erdoğmuş, Fidan, Gündüz, Hacıoğlu, Işık, Karadağ, Küçük, "
        "Mutlu, Nalbantoğlu, Öztürk, Pehlivan, Sarıkaya, Şimşek, Tekinalp, Ünal, Vural, Yıldırım, "
        "Zorlu, Akbulut, Bozkurt, Coşkun, Durmaz, Ekşioğlu, Güneş, Kahraman, Kılıç, Özdemir, Polat, "
        "Sönmez, Tanrıverdi, Uzun, Yavuz, Altıntaş, Çakmak, Kocabaş, Taşkın",
    ),
    "arabic": _origin(
        "Middle East and Africa",
        "Aisha, Bushra, Dalal, Fatimah, Ghada, Hanan, Iman, Jumana, Khadija, Lubna, Maryam, Nawal, "
        "Oumaima, Rania, Salma, Tahani, Wafaa, Yusra, Zaynab, Hala",
        "Abdullah, Bilal, Dawud, Faisal, Ghassan, Hamza, Idris, Jamal, Khalid, Luqman, Mahmoud, Nabil, "
        "Omar, Qasim, Rashid, Suleiman, Tariq, Walid, Youssef, Abdel Rahman",
        "al-Masri, al-Farsi, Al-Khatib, El-Sayed, el Fassi, ben Salah, bin Rashid, Abu Zayd, Abdelaziz, "
        "Bouazizi, Chraibi, Darwish, Elgendy, Fakhoury, Ghannouchi, Haddad, Issawi, Jaziri, Khoury, "
        "Lahoud, Mansour, Najjar, Othmani, Qabbani, Rahal, Sabbagh, Tamimi, Wahbi, Yassin, Zahrani, "
        "al-Amin, Bensalem, Daoudi, Hijazi, Karam, Mahfouz, Naceri, Rifai, Shaheen, Trabelsi",
    ),
    "persian": _origin(
        "Middle East and Africa",
        "Azadeh, Bahar, Delaram, Elnaz, Farzaneh, Golnar, Homa, Katayoun, Ladan, Mahnaz, Nasrin, "
        "Parisa, Roya, Shirin, Taraneh, Yeganeh, Zhaleh, Mitra, Niloufar, Setareh",
        "Arash, Behrouz, Cyrus, Dariush, Esfandiar, Farhad, Goudarz, Houshang, Iraj, Jamshid, Kamran, "
        "Mehrdad, Navid, Parviz, Ramin, Siavash, Touraj, Vahid, Yashar, Kourosh",
        "Ahmadzadeh, Bahrami, Chegini, Dehghan, Ebrahimi, Farrokhzad, Ghorbani, Hosseinpour, Irani, "
        "Jahangiri, Kazemi, Lotfi, Moradi, Nikpour, Omidvar, Pahlavan, Rostami, Shirazi, Tehrani, "
        "Vaziri, Yazdani, Zandi, Amirkhani, Bakhtiari, Daneshvar, Eskandari, Golshani, Hashemi, Javadi, "
        "Khosravi, Mirzaei, Naderi, Parsapour, Rahmani, Sadeghi, Tavakoli, Varasteh, Zamani, Sepehri, "
        "Alizadeh",
    ),
    "indian": _origin(
        "Asia and Pacific",
        "Aaradhya, Bhavana, Chandrika, Deepika, Eshwari, Gayatri, Harini, Indira, Jyoti, Kavitha, "
        "Lakshmi, Meenakshi, Nandini, Padma, Rukmini, Sushmita, Tanvi, Urvashi, Vaishnavi, Yamuna",
        "Arjun, Bharath, Chetan, Devendra, Eknath, Ganesh, Harish, Ishaan, Jagdish, Karthik, Laxman, "
        "Manoj, Narayan, Omkar, Prakash, Raghunath, Suresh, Tejas, Uday, Venkatesh",
        "Agarwal, Banerjee, Chattopadhyay, Deshpande, Eswaran, Fernandes, Gopalakrishnan, Hegde, "
        "Iyengar, Jayaraman, Kulkarni, Lakshmanan, Mukherjee, Nambiar, Oommen, Patwardhan, Qureshi, "
        "Ramanathan, Subramaniam, Thiruvengadam, Upadhyay, Venkataraman, Wadhwa, Yadav, Zaveri, "
        "Bhattacharya, Chaudhary, Dhillon, Gowda, Jadhav, Krishnamurthy, Mahajan, Nair, Pillai, "
        "Rajagopal, Sengupta, Tripathi, Varghese, Bhandari, Trivedi",
        single=0.08,
    ),
    "chinese": _origin(
        "Asia and Pacific",
        "Xiaoling, Meihua, Yuting, Jingyi, Ruolan, Shuxian, Wenjing, Yanfei, Zihan, Qiuyue, Lanying, "
        "Huimin, Bingbing, Cuiping, Peizhen, Siyu, Tingting, Xinyi, Yue, Chunhua",
        "Jianguo, Weimin, Zhiqiang, Haoran, Guoliang, Yifan, Junjie, Mingzhe, Shaoqing, Tianyu, Wenbo, "
        "Xuefeng, Yongkang, Zixuan, Bowen, Chengyu, Dawei, Fangzhou, Kaiwen, Li",
        "Zhang, Wang, Liu, Chen, Yang, Huang, Zhao, Wu, Zhou, Xu, Sun, Zhu, Guo, Luo, Zheng, Liang, "
        "Xie, Tang, Han, Feng, Deng, Cao, Peng, Zeng, Xiao, Tian, Dong, Pan, Yuan, Jiang, Cai, Wei, "
        "Ouyang, Situ, Zhuge, Shangguan, Qiu, Hou, Kong, Bai",
        family_first=0.5,
    ),
    "japanese": _origin(
        "Asia and Pacific",
        "Akiko, Chihiro, Etsuko, Fumiko, Haruka, Izumi, Junko, Kaori, Mayumi, Natsuki, Reiko, Sakura, "
        "Tomoko, Yoshiko, Ayaka, Hinata, Misaki, Nanami, Shiori, Yūko",
        "Akira, Daisuke, Eiji, Fumihiro, Hiroshi, Isamu, Junichi, Kazuya, Masahiro, Noboru, Ryōta, "
        "Satoshi, Takeshi, Yasuhiro, Haruto, Kenta, Naoki, Shinji, Tetsuo, Yūsuke",
        "Akiyama, Bandō, Chiba, Endō, Fujimoto, Gotoda, Hayakawa, Ishikawa, Jinnai, Kobayashi, Matsuda, "
        "Nakagawa, Ōshima, Sakamoto, Takahashi, Uchiyama, Watanabe, Yamashita, Arakawa, Doi, Fukuda, "
        "Hasegawa, Inoue, Kimura, Maeda, Nishimura, Okada, Saitō, Tanizaki, Ueno, Wakabayashi, "
        "Yoshioka, Aoki, Higuchi, Kawaguchi, Miyazawa, Nagashima, Onodera, Shimizu, Tsukamoto",
        family_first=0.3,
    ),
    "korean": _origin(
        "Asia and Pacific",
        "Eun-ji, Hye-jin, Ji-woo, Min-seo, Na-young, Seo-yeon, Soo-ah, Yoo-jin, Da-eun, Ga-hyun, "
        "Hae-won, Jae-eun, Kyung-mi, Mi-rae, Sang-hee, Sun-hwa, Ye-rin, Yeon-joo, Bo-ra, Chae-won",
        "Byung-ho, Chang-min, Dae-jung, Do-yun, Gun-woo, Ho-seok, Hyun-woo, Jae-sung, Jin-woo, Joon-ho, "
        "Ki-tae, Kwang-su, Min-jun, Sang-woo, Seung-hyun, Sung-min, Tae-yang, Woo-jin, Yong-su, "
        "Young-ho",
        "Kim, Park, Lee, Choi, Jung, Kang, Yoon, Jang, Lim, Seo, Shin, Kwon, Hwang, Ahn, Song, Jeon, "
        "Hong, Moon, Yoo, Nam, Noh, Baek, Heo, Bae, Cho, Gwak, Namkoong, Seonwoo, Hwangbo, Ryu, Byun, "
        "Chae, Pyo, Sohn, Woo, Eom, Min, Jegal, Dokgo, Myung",
        family_first=0.5,
    ),
    "vietnamese": _origin(
        "Asia and Pacific",
        "Thị Mai, Ngọc Anh, Thu Hà, Bích Ngọc, Cẩm Tú, Diễm My, Hồng Nhung, Kim Liên, Lan Hương, Mỹ "
        "Duyên, Phương Thảo, Quỳnh Như, Thanh Trúc, Thùy Dung, Tuyết Mai, Yến Nhi, Xuân Quỳnh, Khánh "
        "Linh, Bảo Trân, Hoài Thương",
        "Văn Hùng, Minh Tuấn, Quốc Bảo, Đức Thịnh, Anh Dũng, Công Phượng, Đình Trọng, Gia Huy, Hữu "
        "Nghĩa, Khắc Việt, Long Vũ, Mạnh Cường, Nhật Quang, Phúc Khang, Quang Hải, Thành Đạt, Tiến "
        "Linh, Trọng Hiếu, Việt Anh, Xuân Trường",
        "Nguyễn, Trần, Lê, Phạm, Hoàng, Huỳnh, Phan, Vũ, Võ, Đặng, Bùi, Đỗ, Hồ, Ngô, Dương, Lý, Đinh, "
        "Trịnh, Mạc, Tô, Lương, Vương, Đoàn, Hà, Châu, Tạ, Phùng, Quách, Thái, Kiều, Nghiêm, Thạch, La, "
        "Cù, Mai, Tăng, Ông, Khổng, Triệu, Lục",
        family_first=0.6,
    ),
    "indonesian": _origin(
        "Asia and Pacific",
        "Ayu, Bunga, Citra, Dewi, Endang, Fitriani, Gendis, Indah, Kartika, Lestari, Melati, Ningsih, "
        "Puspita, Ratna, Siti, Tirta, Utami, Wulandari, Yuliana, Anggraini",
        "Agus, Bambang, Cahyono, Dwi, Eko, Fajar, Guntur, Hendra, Iwan, Joko, Kurniawan, Lukman, "
        "Mulyadi, Nugroho, Prabowo, Rahmat, Slamet, Teguh, Wahyu, Yudhistira",
        "Adiputra, Budiman, Cahyadi, Darmawan, Effendi, Firmansyah, Gunawan, Hidayat, Iskandar, Jayadi, "
        "Kusumawardhani, Lesmana, Maharani, Natawijaya, Oktaviani, Permana, Rachmawati, Santoso, "
        "Tanjung, Utomo, Wibowo, Yulianto, Zulkarnain, Hutagalung, Simanjuntak, Nasution, Siregar, "
        "Lubis, Situmorang, Panjaitan, Purnomo, Setiawan, Suryadi, Wijaya, Hartono, Susanto, Pranoto, "
        "Widodo, Harahap, Ginting",
        single=0.4,
    ),
    "nigerian": _origin(
        "Middle East and Africa",
        "Adaeze, Bolanle, Chidinma, Damilola, Ebele, Folasade, Ginikanwa, Halima, Ifeoma, Jumoke, "
        "Kehinde, Lolade, Morenikeji, Ngozi, Olúwaṣeun, Sade, Titilayo, Uchenna, Yetunde, Zainab",
        "Adebayo, Babatunde, Chukwuemeka, Danladi, Emeka, Femi, Gbenga, Ibrahim, Jideofor, Kelechi, "
        "Lanre, Musa, Nnamdi, Obinna, Rotimi, Segun, Tunde, Uzoma, Wale, Yakubu",
        "Abiola, Babangida, Chukwu, Dosunmu, Ekwueme, Fashola, Gbadamosi, Igwe, Jegede, Kalu, Lawal, "
        "Madueke, Nwosu, Okonkwo, Onyekachi, Oyelaran, Soyinka, Tinubu, Ugochukwu, Wachukwu, Yar'Adua, "
        "Zubairu, Achebe, Balogun, Ogunleye, Ezeani, Fagbemi, Ihejirika, Mbadinuju, Nnaji, Obasi, "
        "Odukoya, Ogbonna, Okafor, Olatunji, Osagie, Shonibare, Uzodimma, Akinwande, Adéṣínà",
    ),
    "ethiopian": _origin(
        "Middle East and Africa",
        "Abeba, Birtukan, Desta, Etenesh, Frehiwot, Genet, Hirut, Konjit, Lemlem, Makeda, Netsanet, "
        "Rahel, Selamawit, Tigist, Weynshet, Yordanos, Zenebech, Eden, Mulu, Tsehay",
        "Abebe, Bekele, Dawit, Endale, Fikru, Girma, Haile, Kebede, Lemma, Mekonnen, Negash, Samuel, "
        "Tadesse, Wondimu, Yared, Zerihun, Tesfaye, Getachew, Mulugeta, Alemayehu",
        "Abate, Berhanu, Chernet, Demissie, Engida, Fantaye, Gebremariam, Habtamu, Jemberu, Kifle, "
        "Lakew, Mengistu, Nigatu, Seifu, Teshome, Wolde, Yimer, Zewde, Ayalew, Belachew, Gebreselassie, "
        "Hailu, Kassa, Legesse, Molla, Shiferaw, Tilahun, Worku, Asfaw, Biru, Debebe, Eshetu, Gashaw, "
        "Mamo, Reta, Sisay, Tessema, Woldemichael, Yohannes, Zeleke",
        single=0.08,
    ),
    "polynesian": _origin(
        "Asia and Pacific",
        "Anahera, Aroha, Hinemoa, Kahurangi, Leilani, Mereana, Ngaio, Pania, Tiare, Whetū, Moana, Sina, "
        "Lupe, Talia, Vailea, Kalena, Mahina, Nohea, Teuila, Ana-Lupe",
        "Ariki, Hēmi, Ihaia, Kāwika, Manaia, Nikau, Rangi, Tāne, Wiremu, Keoni, Makoa, Sione, Tavita, "
        "Semisi, Tevita, Kalani, Lopaka, Matiu, Pita, Fetu",
        "Kahananui, Kealoha, Kamakawiwoʻole, Ngata, Parata, Tamihana, Te Kanawa, Te Rangi, Whaanga, "
        "Tuilagi, Fonoti, Leavasa, Mataʻafa, Seumanutafa, Taufa, Vainikolo, Fifita, Havili, Latu, Mafi, "
        "Naholo, Pulu, Taumoepeau, Vea, Kekoa, Mahoe, Nakamatsu-Hale, Opunui, Pukui, Waiwaiole, Heke, "
        "Karaka, Ngarimu, Pōtatau, Rātana, Tūhoe, Waititi, Tuiasosopo, Lealaiauloto, Tapueluelu",
    ),
}
