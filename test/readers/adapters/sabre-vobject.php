<?php
require "Sabre/VObject/autoload.php";

$found = [];
foreach (array_slice($argv, 1) as $file) {
    $calendar = Sabre\VObject\Reader::read(file_get_contents($file));
    foreach ($calendar->VEVENT as $event) {
        $found[] = [
            "uid" => (string) $event->UID,
            "start" => $event->DTSTART->getDateTime()->format("c"),
            "end" => $event->DTEND->getDateTime()->format("c"),
            "sequence" => (string) $event->SEQUENCE,
            "status" => (string) $event->STATUS,
            "method" => isset($calendar->METHOD) ? (string) $calendar->METHOD : null,
            "title" => (string) $event->SUMMARY,
        ];
    }
}
echo json_encode($found);
